package chronosketch.spark.aggregate

import java.nio.file.Files

import scala.util.Random

import chronosketch.spark.SparkSuite
import chronosketch.spark.conditions.PortingConditions
import chronosketch.spark.hopping.{HoppingConf, HoppingQueries}
import chronosketch.spark.sliding.SlidingConf

/** Tests that WITHIN GROUP (ORDER BY … DESC) counts from the greatest value in every operator, as Spark's `percentile_disc` and
  * `percentile_cont` do.
  */
class WithinGroupSuite extends SparkSuite with HoppingQueries {
  private val phis = Seq("0", "0.07", "0.125", "0.25", "0.29", "0.5", "0.57", "0.75", "0.9", "0.99", "1")
  private val array = phis.mkString("array(", ", ", ")")

  /** SQL for the quantile by its definition. φ · n is a decimal, so that ceil is exact. */
  private def truth(phi: String, value: String, filter: String = ""): String =
    s"try_element_at(sort_array(collect_list($value) $filter, false), CAST(greatest(1, ceil(CAST($phi AS DECIMAL(4,3)) * CAST(count($value) $filter AS DECIMAL(10,0)))) AS INT))"

  private def ours(phi: String, value: String, more: String = ""): String =
    s"approx_quantile($phi, epsilon => 0$more) WITHIN GROUP (ORDER BY $value DESC)"

  private val operators: Seq[(String, Seq[(String, String)])] = Seq(
    "our operator" -> Nil,
    "Spark's operator" -> Seq(AggregateConf.Enabled -> "false"),
    "no generated code" -> Seq(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    )
  )

  override def beforeAll(): Unit = {
    super.beforeAll()
    val random = new Random(7)
    // groups of 1 to 40 rows, so that phi * n is often whole; few distinct values, some NULL; one group has only NULLs
    val data = for (k <- 0 to 40; _ <- 0 until math.max(k, 1)) yield (
      k,
      if (k == 0 || random.nextInt(9) == 0) None else Some(random.nextInt(12).toLong),
      random.nextInt(3),
      random.nextInt(90000000).toLong
    )
    spark.createDataFrame(random.shuffle(data)).toDF("k", "v", "n", "millis")
      .selectExpr("k", "v", "n", "timestamp_millis(millis) AS ts", "monotonically_increasing_id() AS id")
      .repartition(3).createOrReplaceTempView("descending")
    val folder = Files.createTempDirectory("descending").toString
    spark.table("descending").write.mode("overwrite").parquet(folder)
    spark.read.parquet(folder).createOrReplaceTempView("descending_files")
  }

  test("the descending median of six values is the third greatest") {
    val six = "VALUES (11000), (3100), (2900), (2800), (2600), (2500) AS t(c)"
    assertEquals(one(s"SELECT approx_quantile(0.5) WITHIN GROUP (ORDER BY c DESC) FROM $six"), 2900)
    assertEquals(one(s"SELECT approx_quantile(0.5) WITHIN GROUP (ORDER BY c) FROM $six"), 2800)
    assertEquals(one(s"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY c DESC) FROM $six"), 2900.0)
  }

  operators.foreach { case (name, settings) =>
    test(s"$name: equals the definition and Spark's functions, in groups of 0 to 40 values") {
      withConf(settings: _*) {
        val exact = phis.map(truth(_, "v")).mkString("array(", ", ", ")")
        Seq("descending", "descending_files").foreach { table =>
          val all = rows(
            s"""SELECT k, ${ours(array, "v")} AS ours, $exact AS truth, count(v) AS n,
               |  approx_quantile_bounds(0.29, epsilon => 0) WITHIN GROUP (ORDER BY v DESC) AS bounds,
               |  ${ours(
                "0.5",
                "v"
              )} AS half, CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY v DESC) AS BIGINT) AS disc,
               |  ${ours(
                "0.5",
                "v",
                ", interpolation => 'linear'"
              )} AS line, percentile_cont(0.5) WITHIN GROUP (ORDER BY v DESC) AS cont,
               |  ${ours(
                "0.25",
                "v",
                ", interpolation => 'linear'"
              )} AS line4, percentile_cont(0.25) WITHIN GROUP (ORDER BY v DESC) AS cont4,
               |  approx_quantile(0.5, epsilon => 0) WITHIN GROUP (ORDER BY v) AS ascending
               |FROM $table GROUP BY k ORDER BY k""".stripMargin
          )
          assertEquals(all.length, 41)
          all.foreach { r =>
            if (r.getAs[Long]("n") == 0) assert(r.isNullAt(1) && r.isNullAt(4), r)
            else {
              assertEquals(r.getAs[Any]("ours"), r.getAs[Any]("truth"), r.toString)
              val bound = r.getSeq[Any](2)(4)
              assertEquals(r.getStruct(4).toSeq, Seq(bound, bound), r.toString)
            }
            assertEquals(r.getAs[Any]("half"), r.getAs[Any]("disc"), r.toString)
            assertEquals(r.getAs[Any]("line"), r.getAs[Any]("cont"), r.toString)
            assertEquals(r.getAs[Any]("line4"), r.getAs[Any]("cont4"), r.toString)
          }
          assert(all.exists(r => r.getAs[Any]("half") != r.getAs[Any]("ascending")))
        }
      }
    }

    test(s"$name: with FILTER, frequency and DISTINCT, and without rows") {
      withConf(settings: _*) {
        val filter = "FILTER (WHERE n = 1)"
        def truths(value: String, filter: String = ""): String =
          phis.map(truth(_, value, filter)).mkString("array(", ", ", ")")
        rows(
          s"""SELECT ${ours(array, "v")} $filter, ${truths("v", filter)}, count(v) $filter,
             |  ${ours(
              array,
              "v",
              ", frequency => n"
            )}, ${truths("IF(n = 0, NULL, v)")}, count(IF(n = 0, NULL, v))
             |FROM descending WHERE n < 2 GROUP BY k""".stripMargin
        ).foreach { r =>
          Seq(0, 3).foreach { i =>
            if (r.getLong(i + 2) == 0) assert(r.isNullAt(i), r) else assertEquals(r.get(i), r.get(i + 1), r)
          }
        }
        assertEquals(
          one(
            s"SELECT approx_quantile(DISTINCT $array, epsilon => 0) WITHIN GROUP (ORDER BY v DESC) FROM descending"
          ),
          one(s"SELECT ${truths("v")} FROM (SELECT DISTINCT v FROM descending)")
        )
        assertEquals(one(s"SELECT ${ours("0.5", "v")} FROM descending WHERE false"), null)
        assertEquals(one(s"SELECT ${ours(array, "v")} FROM descending WHERE false"), null)
      }
    }
  }

  test("OVER sliding frames, exact and summarised, and in Spark's operator") {
    val frame = "OVER (PARTITION BY k % 3 ORDER BY id ROWS BETWEEN 7 PRECEDING AND CURRENT ROW)"
    val asked = s"SELECT id, ${ours(array, "v")} $frame, ${ours("0.5", "v", ", frequency => n")} $frame, " +
      s"${ours("0.5", "v")} $frame, approx_quantile(0.5, epsilon => 0) WITHIN GROUP (ORDER BY v) $frame, " +
      s"approx_quantile_bounds(0.5, epsilon => 0) WITHIN GROUP (ORDER BY v DESC) $frame, " +
      s"${ours("0.5", "v", ", interpolation => 'linear'")} $frame FROM descending ORDER BY id"
    def plan = sql(asked).queryExecution.executedPlan.toString
    assert(plan.contains("SketchWindow"), plan)
    val sliding = rows(asked)
    withConf(SlidingConf.Enabled -> "false") {
      assert(!plan.contains("SketchWindow"), plan)
      assertEquals(rows(asked), sliding)
    }
    val exact = rows(
      s"SELECT id, CAST(array(${phis.map(p =>
          s"try_element_at(l, CAST(greatest(1, ceil(CAST($p AS DECIMAL(4,3)) * CAST(size(l) AS DECIMAL(10,0)))) AS INT))"
        ).mkString(", ")}) AS ARRAY<BIGINT>) " +
        s"FROM (SELECT id, sort_array(collect_list(v) $frame, false) AS l FROM descending) ORDER BY id"
    )
    sliding.zip(exact).foreach { case (r, t) =>
      if (r.isNullAt(3)) assert(t.getSeq[Any](1).forall(_ == null), s"$r $t")
      else {
        assertEquals(r.get(1), t.get(1), s"$r $t")
        assertEquals(r.get(3), t.getSeq[Any](1)(phis.indexOf("0.5")))
        assertEquals(r.getStruct(5).toSeq, Seq(r.get(3), r.get(3)))
      }
    }
    assert(sliding.exists(r => r.get(3) != r.get(4)))
  }

  test("OVER large frames: within epsilon of the descending rank, by several structures") {
    val n = 4000
    Seq("certified" -> "auto", "expiration list" -> "expiration_list").foreach { case (name, structure) =>
      withConf(SlidingConf.ExactFrameRows -> "100", SlidingConf.Structure -> structure) {
        val q = s"SELECT max(abs(q - (id - least(id, 1999) * 9 DIV 10))) FROM " +
          s"(SELECT id, approx_quantile(0.9, epsilon => 0.05) WITHIN GROUP (ORDER BY id DESC) OVER (ORDER BY id ROWS 1999 PRECEDING) AS q FROM range($n))"
        val worst = one(q).asInstanceOf[Long]
        assert(worst <= 0.05 * 2000 + 1, s"$name: $worst")
      }
    }
  }

  test("hopping windows: equal to GROUP BY, by hopping_sketch and by the rewrite") {
    val aggs = Seq(
      s"${ours(array, "v")} AS q",
      s"${ours("0.5", "v")} FILTER (WHERE n > 0) AS f",
      s"${ours("0.5", "v", ", interpolation => 'linear'")} AS line",
      "approx_quantile_bounds(0.5, epsilon => 0) WITHIN GROUP (ORDER BY v DESC) AS b",
      "CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY v DESC) AS BIGINT) AS disc"
    )
    val expected = sql(sparks("descending", "10 hours", "2 hours", Nil, aggs)).collect()
    assert(expected.length > 10)
    val panes = hopping("descending", "10 hours", "2 hours", Nil, aggs.init)
    assertEquals(
      texts(sql(panes).collect()),
      texts(expected.map(r => org.apache.spark.sql.Row(r.toSeq.init: _*)))
    )
    withConf(HoppingConf.Rewrite -> "true") {
      val rewritten = sql(sparks("descending", "10 hours", "2 hours", Nil, aggs.init))
      assert(rewritten.queryExecution.executedPlan.toString.contains("SketchHopping"))
      assertEquals(texts(rewritten.collect()), texts(sql(panes).collect()))
    }
  }

  test("EXPLAIN and the column name show the direction, and a query may use both directions") {
    val both = sql(
      "SELECT approx_quantile(0.5) WITHIN GROUP (ORDER BY id DESC), approx_quantile(0.5) WITHIN GROUP (ORDER BY id) FROM range(10)"
    )
    assertEquals(
      both.columns.toSeq,
      Seq("approx_quantile(0.5) WITHIN GROUP (ORDER BY id DESC)", "approx_quantile(id, 0.5)")
    )
    assertEquals(both.head().toSeq, Seq[Any](5L, 4L))
    val plan = both.queryExecution.executedPlan.toString
    assert(plan.contains("WITHIN GROUP (ORDER BY id DESC)"), plan)
    withConf(AggregateConf.Enabled -> "false") {
      val sparks = sql("SELECT approx_quantile(0.5) WITHIN GROUP (ORDER BY id DESC) FROM range(10)")
      val text = sparks.queryExecution.executedPlan.toString
      assert(
        """approx_quantile\(0.5, 1.0E-4\) WITHIN GROUP \(ORDER BY id#\d+L? DESC\)""".r.findFirstIn(
          text
        ).nonEmpty,
        text
      )
    }
  }

  test("the call that an error message suggests runs, and keeps the arguments") {
    def instead(query: String): String = {
      val text = refusal(query).asInstanceOf[Throwable].getMessage
      """Write (.*)\. SQLSTATE""".r.findFirstMatchIn(text).getOrElse(fail(text)).group(1)
    }
    val on = "FROM (SELECT id, 1 + id % 3 AS n, CAST(1 AS DECIMAL(4,2)) AS w FROM range(1, 101))"
    PortingConditions.ours.foreach { c =>
      val call = instead(c.query)
      assert(sql(s"SELECT $call $on").collect().length == 1, call)
    }
    Seq(
      "approx_quantile(id, 0.9, 0.2) WITHIN GROUP (ORDER BY n)" -> "approx_quantile(0.9, epsilon => 0.2) WITHIN GROUP (ORDER BY n)",
      "approx_quantile(id, 0.9, interpolation => 'linear') WITHIN GROUP (ORDER BY id)" ->
        "approx_quantile(0.9, interpolation => 'linear') WITHIN GROUP (ORDER BY id)",
      "approx_quantile(0.9, epsilon => 1 / 5D, frequency => n) WITHIN GROUP (ORDER BY id DESC, n)" ->
        "approx_quantile(0.9, epsilon => (1 / 5.0), frequency => n) WITHIN GROUP (ORDER BY id DESC)",
      "approx_quantile(0.9, frequency => w) WITHIN GROUP (ORDER BY id, n)" -> "approx_quantile(0.9, frequency => w) WITHIN GROUP (ORDER BY id)",
      "approx_quantile_bounds(0.9, 0.001, n, 'linear') WITHIN GROUP (ORDER BY id DESC)" ->
        "approx_quantile_bounds(0.9, epsilon => 0.001, frequency => n, interpolation => 'linear') WITHIN GROUP (ORDER BY id DESC)",
      "approx_quantile(0.9, n) WITHIN GROUP (ORDER BY id)" -> "approx_quantile(0.9, frequency => n) WITHIN GROUP (ORDER BY id)",
      "quantile_sketch_agg(id, epsilon => 0.05) WITHIN GROUP (ORDER BY id)" -> "quantile_sketch_agg(id, epsilon => 0.05)",
      "quantile_sketch_agg(0.05, n) WITHIN GROUP (ORDER BY id)" -> "quantile_sketch_agg(id, epsilon => 0.05, frequency => n)",
      "quantile_sketch_agg(id, frequency => n) WITHIN GROUP (ORDER BY id)" -> "quantile_sketch_agg(id, frequency => n)",
      "ddsketch_agg(0.05) WITHIN GROUP (ORDER BY id DESC)" -> "ddsketch_agg(id, alpha => 0.05)",
      "moments_agg(id) WITHIN GROUP (ORDER BY id)" -> "moments_agg(id)"
    ).foreach { case (call, expected) =>
      val shown = instead(s"SELECT $call $on")
      assertEquals(shown, expected)
      assertEquals(sql(s"SELECT $shown $on").collect().length, 1, shown)
    }
  }
}
