package chronosketch.spark.sliding

import org.apache.spark.sql.{DataFrame, Row}

import chronosketch.Cases
import chronosketch.spark.aggregate.operator.OperatorSuite

/** Compares sketches and frequencies OVER frames in our operator with the generic aggregates in Spark's. */
class SketchesSuite extends SlidingSuite {

  // ties, NULLs, gaps, NaN and zeros of both signs; sketches of every kind, NULL and empty ones among them
  private lazy val sketched: DataFrame = {
    spark.range(0, 300, 1, 3).selectExpr(
      "id",
      "pmod(hash(id, 1), 5) AS k",
      "IF(pmod(hash(id, 2), 9) = 0, NULL, pmod(hash(id, 3), 50)) AS v",
      "CASE pmod(hash(id, 4), 11) WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D ELSE pmod(hash(id, 5), 60) / 4 END AS d",
      "CAST(pmod(hash(id, 3), 5000) / 7 AS DECIMAL(7,2)) AS c",
      "IF(pmod(hash(id, 6), 10) = 0, NULL, pmod(hash(id, 7), 30)) AS t",
      "IF(pmod(hash(id, 8), 8) = 0, NULL, pmod(hash(id, 9), 7)) AS f",
      "pmod(hash(id, 2), 3) = 0 AS p"
    ).createOrReplaceTempView("rows_of_sketches")
    sql(
      """SELECT r.*, IF(pmod(hash(r.id, 10), 9) = 0, NULL, m.s) AS s, m.x AS x FROM rows_of_sketches r JOIN (
        |  SELECT r.id, quantile_sketch_agg(e.v) AS s, quantile_sketch_agg(e.v, epsilon => 0.1) AS x FROM rows_of_sketches r
        |  LEFT JOIN (SELECT id, n * pmod(hash(id, 12), 30) AS v FROM (SELECT id, explode(sequence(1, 1 + pmod(hash(id, 11), 40))) AS n FROM rows_of_sketches WHERE id % 13 > 0)) e ON e.id = r.id
        |  GROUP BY r.id) m ON m.id = r.id""".stripMargin
    ).localCheckpoint() // compute it once, not in every query
  }

  private def view(): Unit = sketched.createOrReplaceTempView("sketched")

  private val rows = Seq(
    "6 PRECEDING AND CURRENT ROW",
    "2 PRECEDING AND 40 FOLLOWING",
    "3 FOLLOWING AND 4 FOLLOWING",
    "5 PRECEDING AND 3 PRECEDING",
    "CURRENT ROW AND UNBOUNDED FOLLOWING",
    "2 FOLLOWING AND UNBOUNDED FOLLOWING"
  ).map("ORDER BY id ROWS BETWEEN " + _)
  private val ranges = Seq(
    "ORDER BY t RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING",
    "ORDER BY t DESC RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING",
    "ORDER BY t RANGE BETWEEN 7 FOLLOWING AND 8 FOLLOWING"
  )
  private val growing = Seq(
    "",
    "ORDER BY t",
    "ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING",
    "ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 4 PRECEDING"
  )

  private def asked(calls: Seq[String], frames: Seq[String]): String = {
    val each = for ((call, i) <- calls.zipWithIndex; (frame, j) <- frames.zipWithIndex)
      yield s"$call OVER (PARTITION BY k $frame) AS q${i}_$j"
    s"SELECT id, ${each.mkString(", ")} FROM sketched"
  }

  private def assertAllSlide(calls: Seq[String], frames: Seq[String]): Unit = {
    val answers = assertSame(asked(calls, frames))
    assertEquals(
      answers.operators.map(_.windowExpressions.size).sum,
      calls.size * frames.size,
      "some did not slide"
    )
  }

  // with so few values all sketches are exact, so the bytes must be equal
  for (
    call <- Seq(
      "quantile_sketch_agg(v)",
      "quantile_sketch_agg(d)",
      "quantile_sketch_agg(c, 0)",
      "quantile_sketch_agg(NULL)",
      "quantile_sketch_agg(d) FILTER (WHERE p)",
      "quantile_sketch_agg(v, 0.001, f)",
      "quantile_sketch_agg(v, frequency => f * 1000000) FILTER (WHERE p)",
      "quantile_sketch_agg(v, frequency => NULL)",
      "approx_quantile(v, 0.3, frequency => f)",
      "approx_quantile(d, array(0.9, 0, 1, 0.5), frequency => f) FILTER (WHERE p)",
      "approx_quantile_bounds(c, array(0.9, 0.2), frequency => CAST(f AS TINYINT))"
    )
  ) test(call) {
    view()
    assertAllSlide(Seq(call), rows ++ growing ++ ranges)
  }

  for (
    call <-
      Seq("sketch_merge_agg(s)", "sketch_merge_agg(s) FILTER (WHERE p)", "sketch_merge_agg(IF(p, s, NULL))")
  )
    test(call) {
      view()
      assertAllSlide(Seq(call), rows ++ ranges)
      val query = asked(Seq(call), growing)
      val left = ask(isEnabled = true)(sql(query))
      assertEquals(left.operators.size, 0)
      assertEqual(left, inSparks(sql(query)), query)
    }

  test("unions by DABA equal those by two stacks") {
    view()
    withConf(SlidingConf.Structure -> "daba") {
      assertAllSlide(Seq("sketch_merge_agg(s)"), rows)
      for (frame <- rows) {
        val query = asked(Seq("sketch_merge_agg(s)"), Seq(frame))
        val plan = sql(s"EXPLAIN FORMATTED $query").head().getString(0)
        assert(plan.contains("Structure: DABA"), plan)
      }
    }
  }

  test("together with quantiles of frames that are too large to be exact") {
    view()
    withConf(SlidingConf.ExactFrameRows -> "10") {
      val calls = Seq("approx_quantile(v, 0.5, 0.4)", "quantile_sketch_agg(v)", "sketch_merge_agg(s)")
      val far = inOurs(sql(asked(calls, rows.take(2))))
      val near = withConf(SlidingConf.ExactFrameRows -> "10000000")(inOurs(sql(asked(calls, rows.take(2)))))
      def sketches(answers: SlidingAnswers): Seq[String] = answers.rows.map(row =>
        row.toSeq.collect { case bytes: Array[Byte] => bytes.toSeq.toString }.mkString
      ).toSeq.sorted
      assert(far.metric("certifiedRows") > 0)
      assertEquals(sketches(far), sketches(near))
    }
  }

  test("only NULLs, in non-empty and in empty frames") {
    view()
    val answers = assertSame(asked(
      Seq("sketch_merge_agg(IF(id < 0, s, NULL))", "sketch_merge_agg(NULL)", "quantile_sketch_agg(v)"),
      Seq("ORDER BY id ROWS BETWEEN 400 FOLLOWING AND 401 FOLLOWING", rows.head)
    ))
    answers.rows.foreach { r =>
      assert((1 to 4).forall(r.isNullAt), r.toString)
      assert(!r.isNullAt(5) && !r.isNullAt(6), r.toString)
    }
  }

  test("sketches of partitions, with widening types and different epsilons merge into one") {
    view()
    val query =
      s"""SELECT id, sketch_merge_agg(w) OVER (PARTITION BY k ${rows.head}) AS m FROM
         |  (SELECT id, k, quantile_sketch_agg(CAST(v AS INT), 0.01) AS w FROM sketched WHERE p GROUP BY id, k UNION ALL
         |   SELECT id, k, quantile_sketch_agg(v, 0.05) AS w FROM sketched WHERE NOT p GROUP BY id, k)""".stripMargin
    assertSame(query)
  }

  /** The rows of a query in one operator, sorted by id. Used if sketches need not be equal in both operators. */
  private def sortedRows(isEnabled: Boolean, query: String): Seq[Row] =
    ask(isEnabled)(sql(query)).rows.sortBy(_.getLong(0))

  test("summarised: bounds are certain and within epsilon in both operators") {
    spark.range(0, 3000, 1, 3).selectExpr(
      "id",
      "id % 2 AS k",
      "pmod(hash(id, 3), 100000) / 8 AS v",
      "pmod(hash(id, 4), 5) * 1000 AS f"
    ).createOrReplaceTempView("longer")
    sql(
      "SELECT id DIV 20 AS hour, k, collect_list(v) AS vs, quantile_sketch_agg(v, 0.02) AS s FROM longer GROUP BY ALL"
    )
      .createOrReplaceTempView("hourly")
    val calls = Seq(
      (
        "longer",
        "id",
        "quantile_sketch_agg(v, 0.02)",
        "array_agg(v) OVER w",
        "ROWS BETWEEN 700 PRECEDING AND 10 FOLLOWING"
      ),
      (
        "longer",
        "id",
        "quantile_sketch_agg(v, 0.02, f)",
        "flatten(array_agg(array_repeat(v, CAST(f DIV 1000 AS INT))) OVER w)",
        "ROWS BETWEEN 200 PRECEDING AND CURRENT ROW"
      ),
      ("hourly", "hour", "sketch_merge_agg(s)", "flatten(array_agg(vs) OVER w)", "ROWS 23 PRECEDING"),
      (
        "hourly",
        "hour",
        "sketch_merge_agg(s)",
        "flatten(array_agg(vs) OVER w)",
        "RANGE BETWEEN 100 PRECEDING AND 30 FOLLOWING"
      ),
      (
        "hourly",
        "hour",
        "sketch_merge_agg(s)",
        "flatten(array_agg(vs) OVER w)",
        "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
      )
    )
    for ((from, by, call, all, frame) <- calls) {
      val over = call.replace(")", "").takeWhile(_ != '(')
      val query =
        s"""SELECT id, n, sort_array(vs) AS vs, sketch_count(s) AS c, sketch_rank_error(s) AS e,
           |  transform(array(0, 0.01, 0.25, 0.5, 0.9, 1), p -> sketch_quantile_bounds(s, p)) AS b
           |FROM (SELECT $by * 2 + k AS id, $call OVER w AS s, $all AS vs, count(*) OVER w AS n
           |  FROM $from WINDOW w AS (PARTITION BY k ORDER BY $by $frame)) WHERE id % 7 = 0""".stripMargin
      for (isEnabled <- Seq(true, false)) {
        val found = sortedRows(isEnabled, query)
        assert(found.size > 30, over)
        var widest = 0.0
        found.foreach { r =>
          val vs = r.getSeq[Double](2)
          val copies = if (call.contains(", f")) 1000 else 1
          assertEquals(r.getLong(3), vs.size.toLong * copies, call)
          assert(r.getDouble(4) <= 0.02, s"$call: ${r.getDouble(4)}")
          widest = math.max(widest, r.getDouble(4))
          Seq("0", "0.01", "0.25", "0.5", "0.9", "1").zip(r.getSeq[Row](5)).foreach { case (phi, b) =>
            val n = BigDecimal(vs.size) * copies
            val rank = (BigDecimal(phi) * n).setScale(0, BigDecimal.RoundingMode.CEILING).max(1)
            val exact = vs(((rank - 1) / copies).setScale(0, BigDecimal.RoundingMode.FLOOR).toInt)
            assert(
              b.getDouble(0) <= exact && exact <= b.getDouble(1),
              s"$call $isEnabled, $phi: $exact not in $b"
            )
          }
        }
        assert(widest > 0, s"$call is exact")
      }
    }
  }

  private def condition(isEnabled: Boolean)(query: String): String =
    withConf(SlidingConf.Enabled -> isEnabled.toString) {
      if (isEnabled) assert(sql(query).queryExecution.executedPlan.toString.contains("SketchWindow"), query)
      refusal(query).getCondition
    }

  test("invalid bytes, unmergeable sketches and negative frequencies give the generic aggregate's error") {
    view()
    val last = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)"
    val queries = Seq(
      s"SELECT sketch_merge_agg(IF(id = 77, X'0102', s)) $last FROM sketched" -> "CHRONOSKETCH_NOT_A_SKETCH",
      s"SELECT sketch_merge_agg(IF(id = 77, X'', s)) $last FROM sketched" -> "CHRONOSKETCH_NOT_A_SKETCH",
      s"SELECT sketch_merge_agg(IF(id = 77, substr(x, 1, 20), s)) $last FROM sketched" -> "CHRONOSKETCH_TRUNCATED_SKETCH",
      s"SELECT sketch_merge_agg(IF(id = 77, substr(x, 1, length(x) - 1) || X'00', x)) $last FROM sketched" -> "CHRONOSKETCH_CORRUPT_SKETCH",
      s"SELECT sketch_merge_agg(IF(id = 77, (SELECT quantile_sketch_agg(DATE'2024-01-01')), x)) $last FROM sketched" -> "CHRONOSKETCH_VALUE_TYPES_DIFFER",
      s"SELECT quantile_sketch_agg(v, frequency => f - 5) $last FROM sketched" -> "CHRONOSKETCH_INVALID_FREQUENCY",
      s"SELECT approx_quantile(v, 0.5, frequency => f - 5) $last FROM sketched" -> "CHRONOSKETCH_INVALID_FREQUENCY",
      s"SELECT quantile_sketch_agg(1, frequency => 9223372036854775807 - f) $last FROM sketched" -> "CHRONOSKETCH_COUNT_OVERFLOW",
      s"SELECT approx_quantile(1, 0.5, frequency => 9223372036854775807 - f) $last FROM sketched" -> "CHRONOSKETCH_COUNT_OVERFLOW"
    )
    for ((query, name) <- queries; isEnabled <- Seq(true, false))
      assertEquals(condition(isEnabled)(query), name, query)
    // an invalid frequency is not an error if the row is filtered out or its value is NULL
    assertSame(
      s"SELECT quantile_sketch_agg(v, frequency => IF(p, f, -1)) FILTER (WHERE p) $last FROM sketched"
    )
    assertSame(s"SELECT quantile_sketch_agg(IF(p, v, NULL), frequency => IF(p, f, -1)) $last FROM sketched")
  }

  private val last5 = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 4 PRECEDING AND CURRENT ROW)"
  private val m = s"sketch_merge_agg(s) $last5 AS m"

  private val around = Seq(
    "readers above" ->
      s"SELECT id, sketch_quantile(sketch_merge_agg(s) $last5, 0.99) AS p, sketch_count(quantile_sketch_agg(v) $last5) AS n FROM sketched",
    "together with other functions" ->
      s"SELECT id, $m, approx_quantile(v, 0.5) $last5 AS q, approx_quantile(v, 0.5, 0.001, f) $last5 AS g, row_number() OVER (PARTITION BY k ORDER BY id) AS r, quantile_sketch_agg(v, 0.1) $last5 AS z, quantile_sketch_agg(v, 0.01) $last5 AS zz, s FROM sketched",
    "shared rows, several frames" ->
      s"SELECT id, $m, sketch_merge_agg(s) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN CURRENT ROW AND 9 FOLLOWING) AS a, sketch_merge_agg(s) FILTER (WHERE p) $last5 AS f FROM sketched",
    "a view" -> "SELECT k, count(*), sketch_merge_agg(m) FROM united GROUP BY k",
    "joined" -> s"SELECT * FROM (SELECT id, k, $m FROM sketched) a JOIN (SELECT id, $m FROM sketched) b USING (id)",
    "merge-joined" -> s"SELECT /*+ MERGE(b) */ a.id, a.m, b.n FROM (SELECT id, k, $m FROM sketched) a JOIN (SELECT k, count(*) AS n FROM sketched GROUP BY k) b ON a.k = b.k",
    "over an aggregation" ->
      "SELECT k, h, sketch_merge_agg(quantile_sketch_agg(v)) OVER (PARTITION BY k ORDER BY h ROWS 3 PRECEDING) AS m FROM (SELECT *, id DIV 10 AS h FROM sketched) GROUP BY k, h",
    "in turn" -> s"SELECT id, sketch_merge_agg(m) OVER (PARTITION BY k ORDER BY id ROWS 2 PRECEDING) AS mm FROM united",
    "no PARTITION BY" -> "SELECT id, sketch_merge_agg(s) OVER (ORDER BY id ROWS 23 PRECEDING) AS m FROM sketched",
    "values without PARTITION BY" -> "SELECT id, quantile_sketch_agg(v) OVER (ORDER BY id ROWS 23 PRECEDING) AS n FROM sketched",
    "several columns" -> "SELECT id, sketch_merge_agg(s) OVER (PARTITION BY k ORDER BY t, id ROWS 23 PRECEDING) AS m FROM sketched",
    "ordered and limited" -> s"SELECT id, $m FROM sketched ORDER BY id DESC LIMIT 9"
  )

  private val ways = Seq(
    "adaptive" -> Nil,
    "not adaptive" -> Seq("spark.sql.adaptive.enabled" -> "false"),
    "not compiled" -> OperatorSuite.notCompiled
  )

  private def aroundViews(): Unit = {
    view()
    sql(s"SELECT *, $m FROM sketched").createOrReplaceTempView("united")
  }

  for (((name, query), i) <- around.zipWithIndex)
    test(name) {
      aroundViews()
      val sparks = inSparks(sql(query))
      for ((way, conf) <- Cases.turn(i, ways))
        withConf(conf: _*)(assertEqual(inOurs(sql(query)), sparks, s"$way: $query"))
    }

  for (name <- Seq("no PARTITION BY", "values without PARTITION BY"))
    test(s"$name: in ranges") {
      aroundViews()
      val answers = withConf(SlidingConf.Ranges -> "3")(assertSame(around.toMap.apply(name)))
      assert(answers.plan.toString.contains("SketchRanges"), answers.plan.toString)
    }

  test("unions run in an operator of their own above, and columns keep the order of the query") {
    view()
    val query =
      s"SELECT id, $m, approx_quantile(v, 0.5) $last5 AS q, sketch_merge_agg(x) FILTER (WHERE id < 0) $last5 AS n, rank() OVER (PARTITION BY k ORDER BY id) AS r FROM sketched"
    val answers = assertSame(query)
    assertEquals(answers.schema.fieldNames.toSeq, Seq("id", "m", "q", "n", "r"))
    val structures = answers.operators.map(_.spec.sliders.map(_.structure.text).distinct)
    assertEquals(structures, Seq(Seq("two stacks"), Seq("block sort")))
    assertEquals(answers.operators.map(_.spec.rows.isOrdered), Seq(true, false))
    // only calls of our functions
    val two = assertSame(s"SELECT *, $m, approx_quantile(v, 0.5) $last5 AS q FROM sketched")
    assertEquals(two.schema.fieldNames.takeRight(2).toSeq, Seq("m", "q"))
    assertEquals(two.operators.size, 2)
  }

  test("EXPLAIN shows the structure and the sort of unions and of sketches") {
    view()
    def plan(query: DataFrame): String = query.queryExecution.executedPlan.toString
    val merged = plan(sql(s"SELECT $m FROM sketched"))
    assert(merged.contains("structure=two stacks, sort=Spark's sorter"), merged)
    val counted = plan(sql(s"SELECT quantile_sketch_agg(v) $last5 FROM sketched"))
    assert(counted.contains("structure=key counts, sort=own radix sort"), counted)
  }
}
