package chronosketch.spark.aggregate.cube

import scala.util.Random

import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{DataFrame, Row}

import chronosketch.Cases
import chronosketch.spark.Exact
import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.aggregate.operator.{Answers, OperatorSuite, ScarceMemory}

/** Tests that CUBE, ROLLUP and GROUPING SETS merged from the finest groups give the answers of Spark's plan, which copies each row. */
class GroupingSetsSuite extends OperatorSuite {
  private val Node = "SketchGroupingSets"

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(0, 400, 1, 3).selectExpr(
      "id",
      "IF(id % 11 = 0, NULL, id % 4) AS a",
      "IF(id % 13 = 0, NULL, concat('b', id % 3)) AS b",
      "CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D WHEN 3 THEN double('NaN') ELSE 1.5D END AS c",
      "IF(id % 7 = 0, NULL, pmod(id * 7919, 97)) AS v",
      "CAST(pmod(id * 31, 64) AS DOUBLE) / 4 - 5 AS x",
      "CAST(pmod(id * 17, 1000) AS DECIMAL(12,2)) AS n",
      "timestamp_seconds(id * 60) AS ts"
    ).createOrReplaceTempView("cubed")
    sql(
      "SELECT a, b, c, quantile_sketch_agg(v) AS s, count(*) AS n FROM cubed GROUP BY a, b, c, id % 2"
    ).createOrReplaceTempView("stored")
  }

  private val aggregates = Seq(
    "approx_quantile(v, array(0.1, 0.5)) AS q",
    "approx_quantile_bounds(x, 0.9) AS low_high",
    "approx_quantile(0.3) WITHIN GROUP (ORDER BY v DESC) AS descending",
    "approx_quantile(v, 0.5, frequency => id % 3) AS weighted",
    "approx_quantile(n, 0.5, interpolation => 'linear') AS between",
    "approx_quantile(v, 0.5) FILTER (WHERE x > 0) AS some",
    "sketch_quantile(quantile_sketch_agg(v, 0), array(0, 0.25, 1)) AS exact",
    "sketch_describe(moments_agg(n)).count AS moments",
    "sketch_quantile(ddsketch_agg(x), 0.5) AS bins",
    "sketch_slope(comoments_agg(v, id)) AS slope",
    "sketch_count(sketch_window(window_sketch_agg(v, ts), within_last('1 hour'))) AS lately",
    "approx_window_quantile(v, ts, 0.5, within_last('2 hours')) AS late",
    "sketch_count(sample_sketch_agg(v, id => id)) AS sampled",
    "count(*) AS n_rows",
    "count(v, x) AS n_both",
    "sum(v) AS total",
    "sum(n) FILTER (WHERE v IS NOT NULL) AS decimals",
    "sum(x) AS doubles",
    "avg(n) AS mean_decimal",
    "avg(v) AS mean",
    "min(x) AS least",
    "max(ts) AS last",
    "max(a) AS key",
    "bool_or(v > 90) AS any",
    "bit_xor(v) AS bits"
  )

  private def merged(isOn: Boolean)(query: => DataFrame): Answers =
    withConf(AggregateConf.GroupingSets -> isOn.toString)(inOurs(query))

  private def isMerged(query: => DataFrame): Boolean =
    query.queryExecution.executedPlan.toString.contains(Node)

  private def check(query: String, isMerged: Boolean = true): Answers = {
    assertEquals(this.isMerged(sql(query)), isMerged, s"$query\n${sql(query).queryExecution.executedPlan}")
    val ours = merged(isOn = true)(sql(query))
    assertEqual(ours, merged(isOn = false)(sql(query)), query)
    ours
  }

  private val groupings = Seq(
    "CUBE(a, b)",
    "CUBE(a, b, c)",
    "ROLLUP(a, b, c)",
    "ROLLUP(b)",
    "a, CUBE(b, c)",
    "ROLLUP((a, b), c)",
    "CUBE(a % 2, upper(b))",
    "GROUPING SETS ((a, b), (a), ())",
    "GROUPING SETS ((a, b), (b), (a, b), (b), (), ())",
    "GROUPING SETS ((c, a, b), (a, c), b)",
    "CUBE(a), ROLLUP(b, c)"
  )

  private val ways = Seq(
    "compiled" -> Nil,
    "AQE off" -> Seq("spark.sql.adaptive.enabled" -> "false"),
    "not compiled" -> OperatorSuite.notCompiled,
    "one partition" -> Seq("spark.sql.shuffle.partitions" -> "1"),
    "exchanges are not reused" -> Seq("spark.sql.exchange.reuse" -> "false")
  )

  private def keysOf(grouping: String): String =
    if (grouping.contains("%")) "a % 2, upper(b)"
    else Seq("a", "b", "c").filter(k => grouping.contains(s"$k)") || grouping.contains(s"$k,")).mkString(", ")

  Cases.inTurns(groupings, ways).foreach { case (grouping, (way, conf)) =>
    test(s"all aggregates by $grouping: $way") {
      val keys = keysOf(grouping)
      val numbers = keys.split(", ").map(k => s"grouping($k)").mkString(", ")
      withConf(conf: _*) {
        val answers = check(
          s"SELECT $keys, $numbers, grouping_id() AS gid, ${aggregates.mkString(", ")} FROM cubed GROUP BY $grouping"
        )
        assert(answers.rows.size > 4)
      }
    }
  }

  (1 to Cases.of(10)).foreach { seed =>
    test(s"a random query, $seed") {
      val random = new Random(seed)
      def some[A](from: Seq[A], n: Int): Seq[A] = random.shuffle(from).take(n)
      val keys = some(Seq("a", "b", "c", "id % 2", "date(ts)"), 1 + random.nextInt(4))
      val sets = keys +: Seq.fill(1 + random.nextInt(5))(some(keys, random.nextInt(keys.size + 1)))
      val asked = "approx_quantile(v, 0.5) AS median" +: some(aggregates, 1 + random.nextInt(5))
      // Spark refuses grouping_id() there if a set occurs twice
      val having = some(Seq("", "HAVING count(*) > 5"), 1).head
      check(
        s"SELECT grouping_id() AS gid, ${keys.mkString(", ")}, ${asked.mkString(", ")} FROM cubed GROUP BY " +
          s"GROUPING SETS (${random.shuffle(sets).map(_.mkString("(", ", ", ")")).mkString(", ")}) $having"
      )
    }
  }

  private val asked = "approx_quantile(v, 0.5) AS q, count(*) AS n, sum(v) AS t"
  private val cube = s"SELECT a, b, grouping_id() AS gid, $asked FROM cubed GROUP BY CUBE(a, b)"

  private val around = Seq(
    s"SELECT a, b, $asked FROM cubed GROUP BY CUBE(a, b) HAVING a = 1 AND grouping(b) = 0",
    s"SELECT a, b, $asked FROM cubed GROUP BY CUBE(a, b) HAVING approx_quantile(v, 0.5) > 47 AND b IS NULL",
    s"SELECT b FROM cubed GROUP BY ROLLUP(b) ORDER BY approx_quantile(v, 0.9) DESC, grouping(b) LIMIT 2",
    s"SELECT approx_quantile(v, 0.5) + count(*) * grouping(a) AS e, a + 1 AS next FROM cubed GROUP BY CUBE(a)",
    s"SELECT * FROM ($cube) WHERE gid = 1 AND a > 1",
    s"SELECT gid, count(*), max(q) FROM ($cube) GROUP BY gid",
    s"WITH q AS ($cube) SELECT x.a, x.q - y.q FROM q x JOIN q y ON x.a <=> y.a AND x.b <=> y.b AND x.gid + 1 = y.gid",
    s"SELECT * FROM ($cube) UNION ALL SELECT * FROM ($cube)",
    s"SELECT id FROM cubed WHERE v > (SELECT max(q) FROM ($cube) WHERE gid = 3)",
    s"SELECT id FROM cubed o WHERE EXISTS (SELECT 1 FROM ($cube) i WHERE i.a = o.a AND i.q > 50)",
    s"SELECT *, rank() OVER (PARTITION BY gid ORDER BY q) AS nth FROM ($cube)",
    s"SELECT DISTINCT gid, q > 50 FROM ($cube)",
    s"SELECT r.a, b, approx_quantile(v, 0.5) FROM cubed JOIN (SELECT id AS a FROM range(3)) r USING (a) GROUP BY ROLLUP(r.a, b)",
    s"SELECT a, w.start, $asked FROM (SELECT *, window(ts, '1 hour') AS w FROM cubed) GROUP BY ROLLUP(a, w)",
    s"SELECT id, w, x, $asked FROM (SELECT *, named_struct('m', id % 2, 'x', x) AS w FROM cubed) GROUP BY CUBE(id, w, x)",
    s"SELECT a, window.end, $asked FROM cubed GROUP BY ROLLUP(a, window(ts, '2 hours', '1 hour'))",
    "SELECT a, b, sketch_count(sketch_merge_agg(s)) AS n, sketch_quantile(sketch_merge_agg(s), 0.5) AS q, sum(n) FROM stored GROUP BY CUBE(a, b, c)",
    "SELECT a, sketch_merge_agg(IF(a = 1, s, NULL)) IS NULL AS none FROM stored GROUP BY CUBE(a)",
    "SELECT 1 AS one, a, approx_quantile(v, 0.5) FROM cubed GROUP BY CUBE(1 + 0, a)"
  )

  around.zipWithIndex.foreach { case (query, i) =>
    test(s"a query with or around grouping sets: ${query.replace(cube, "…")}") {
      // the optimizer may drop a set that a condition excludes, and with it the need to merge
      val (_, conf) = ways(i % ways.size)
      withConf(conf: _*)(check(query))
    }
  }

  test("views, a cached table and the DataFrame API") {
    sql(s"CREATE OR REPLACE TEMP VIEW cube_view AS $cube")
    check("SELECT * FROM cube_view")
    sql("CACHE TABLE cubed_in_memory AS SELECT id, a, x FROM cubed")
    val columns =
      check("SELECT a, id, approx_quantile(x, 0.5) AS q FROM cubed_in_memory GROUP BY ROLLUP(a, id)")
    assertEquals(columns.operators.count(_.nodeName == "SketchAggregateByColumns"), 1)
    sql("UNCACHE TABLE cubed_in_memory")
    val frame = spark.table("cubed").cube("a", "b")
    def answers = frame.agg(expr("approx_quantile(v, 0.5) AS q"), expr("sum(x) AS t"))
    assert(isMerged(answers))
    assertEqual(merged(isOn = true)(answers), merged(isOn = false)(answers), "cube")
    assert(!isMerged(frame.agg(expr("sum(x)"))), "no function of ours")
  }

  test("empty input: no row, as in Spark's plan") {
    Seq("CUBE(a, b)", "GROUPING SETS ((a), ())", "ROLLUP(a)").foreach { grouping =>
      val key = if (grouping.contains("b")) "a, b" else "a"
      assertEquals(check(s"SELECT $key, $asked FROM cubed WHERE x > 1000 GROUP BY $grouping").rows.size, 0)
    }
    Seq("GROUPING SETS (())", "GROUPING SETS ((), ())").foreach { grouping =>
      Seq("true", "x > 1000").foreach { condition =>
        check(s"SELECT $asked FROM cubed WHERE $condition GROUP BY $grouping", isMerged = false)
      }
    }
  }

  test("what can't be merged is left to Spark's plan of copied rows, and EXPLAIN says why") {
    def explained(query: String): String = {
      val text = sql(s"EXPLAIN $query").head().getString(0)
      assert(!text.contains(Node) && text.contains("Expand"), text)
      text
    }
    val manyKeys = (0 until 63).map(i => s"shiftright(id, $i) % 2").mkString(", ")
    Seq(
      s"SELECT a, b, $asked FROM cubed GROUP BY GROUPING SETS ((a), (b))" -> "Fallback [no grouping set has all keys]",
      s"SELECT $asked FROM cubed GROUP BY GROUPING SETS (($manyKeys), ())" -> "Fallback [more than 62 keys]",
      s"SELECT * FROM (SELECT a, b, $asked FROM cubed GROUP BY CUBE(a, b)) WHERE a IN (SELECT id FROM range(3))" ->
        "Fallback [rows are joined or filtered after they were copied]",
      s"SELECT a, first(v), $asked FROM cubed GROUP BY CUBE(a)" -> "Fallback [first can depend on the order of rows]",
      s"SELECT a, max_by(v, x), $asked FROM cubed GROUP BY CUBE(a)" -> "Fallback [max_by can depend on the order of rows]",
      s"SELECT a, sum(grouping_id()), $asked FROM cubed GROUP BY CUBE(a)" -> "which depends on the grouping set]",
      s"SELECT a, count(DISTINCT v), $asked FROM cubed GROUP BY CUBE(a)" -> "[Spark's own operator: count",
      s"SELECT a, max(b), $asked FROM cubed GROUP BY CUBE(a)" -> "[Spark's own operator: max"
    ).foreach { case (query, why) =>
      assert(explained(query).contains(why), explained(query))
      if (!query.contains("DISTINCT") && !query.contains("max") && !query.contains("first"))
        check(query, isMerged = false)
      withConf(AggregateConf.GroupingSets -> "false")(assert(!explained(query).contains("Fallback")))
    }
    assert(!explained("SELECT a, b, count(*), sum(v) FROM cubed GROUP BY CUBE(a, b)").contains("Fallback"))
    withConf(AggregateConf.Enabled -> "false")(assert(!explained(cube).contains("Fallback")))
    check(
      s"SELECT window.start, $asked FROM cubed GROUP BY window(ts, '2 hours', '1 hour')",
      isMerged = false
    )
  }

  test("a plan of copied rows runs each stage once, if exchanges are not reused") {
    withConf("spark.sql.exchange.reuse" -> "false", "spark.sql.adaptive.enabled" -> "true") {
      val frame = sql(s"SELECT a, b, $asked FROM cubed GROUP BY GROUPING SETS ((a), (b))")
      val answers = frame.collect()
      assertEquals(operators(frame).filterNot(_.mergesParts).map(_.metrics("numInputRows").value), Seq(800L))
      assertEquals(answers.length, 9)
    }
  }

  test("EXPLAIN shows some of many sets") {
    val text = sql(
      s"EXPLAIN SELECT $asked FROM cubed GROUP BY CUBE(a, b, c, id % 2, id % 3, id % 5)"
    ).head().getString(0)
    assert(text.contains(Node) && text.contains("more fields]") && text.length < 10000, text)
  }

  test("EXPLAIN shows the sets, and the setting is checked and turns it off") {
    val text = sql(s"EXPLAIN $cube").head().getString(0)
    assert(text.contains(s"$Node(keys=[") && text.contains("sets=[(a, b), (a), (b), ()]"), text)
    assert(!text.contains("Expand"), text)
    val formatted = sql(s"EXPLAIN FORMATTED $cube").head().getString(0)
    assert(formatted.contains("Sets [4]: [(a, b), (a), (b), ()]"), formatted)
    withConf(AggregateConf.GroupingSets -> "false")(assert(!isMerged(sql(cube))))
    intercept[Exception](sql(s"SET ${AggregateConf.GroupingSets} = sometimes"))
    assert(rows("SET -v").exists(_.getString(0) == AggregateConf.GroupingSets))
  }

  test("overflows and refusals are those of Spark's plan") {
    def refused(isOn: Boolean, query: String): String =
      withConf(AggregateConf.GroupingSets -> isOn.toString)(refusal(query).getCondition)
    Seq(
      "SELECT a, approx_quantile(v, 0.5), sum(9223372036854775000 + v) FROM cubed GROUP BY CUBE(a)",
      "SELECT a, approx_quantile(v, 0.5), sum(CAST('99999999999999999999999999999999999999' AS DECIMAL(38,0)) + 0 * id) FROM cubed GROUP BY CUBE(a)",
      "SELECT a, approx_quantile(v, 0.5, frequency => 10 - id) FROM cubed GROUP BY ROLLUP(a)"
    ).foreach(query => assertEquals(refused(isOn = true, query), refused(isOn = false, query), query))
    withConf("spark.sql.ansi.enabled" -> "false") {
      check(
        "SELECT a, b, approx_quantile(v, 0.5), sum(CAST('999999999999999999999999999999999999' AS DECIMAL(38,0)) + n) AS t, sum(9223372036854775000 + v) AS w FROM cubed GROUP BY CUBE(a, b)"
      )
    }
  }

  test("certificates are within epsilon, and bounds contain the exact quantile") {
    spark.range(0, 40000, 1, 4).selectExpr(
      "pmod(hash(id), 5) AS a",
      "pmod(hash(id, 1), 7) AS b",
      "pmod(hash(id, 2), 2) AS c",
      "CAST(pmod(hash(id, 3), 1000003) AS DOUBLE) AS v"
    ).createOrReplaceTempView("many")
    val epsilon = 0.01
    val phis = Seq("0.01", "0.5", "0.99")
    val query =
      s"""SELECT a, b, c, approx_quantile_bounds(v, array(${phis.mkString(", ")}), $epsilon) AS bounds,
         |  sketch_rank_error(quantile_sketch_agg(v, $epsilon)) AS error, sketch_count(quantile_sketch_agg(v, $epsilon)) AS n
         |  FROM many GROUP BY CUBE(a, b, c)""".stripMargin
    assert(isMerged(sql(query)))
    val ours = sql(query).collect()
    val all = spark.table("many").collect()
    assertEquals(ours.length, 6 * 8 * 3)
    ours.foreach { row =>
      val inSet = all.filter(r => (0 until 3).forall(i => row.isNullAt(i) || row.get(i) == r.get(i)))
      val sorted = inSet.map(_.getDouble(3)).sorted.toIndexedSeq
      assert(row.getDouble(4) <= epsilon, row.toString)
      assertEquals(row.getLong(5), sorted.size.toLong)
      row.getSeq[Row](3).zip(phis).foreach { case (bounds, phi) =>
        val exact = Exact.quantile(sorted, phi)
        assert(bounds.getDouble(0) <= exact && exact <= bounds.getDouble(1), s"$row, exact $exact")
        Seq(0, 1).foreach { i =>
          val error = Exact.rankError(sorted, phi, bounds.getDouble(i))
          assert(error <= 2 * epsilon * sorted.size, s"$row: $error ranks at $phi")
        }
      }
    }
    assert(ours.exists(_.getDouble(4) > 0), "all sketches are exact")
  }

  test("groups are output early if memory is short, and merged later") {
    val query =
      "SELECT k, o, approx_quantile(v, 0.5, 0) AS q, count(*) AS n, sum(v) AS t FROM (SELECT id % 15000 AS k, id % 3 AS o, id AS v FROM range(0, 60000, 1, 2)) GROUP BY CUBE(k, o)"
    withConf("spark.sql.shuffle.partitions" -> "1", "spark.sql.adaptive.enabled" -> "false") {
      val truth = merged(isOn = false)(sql(query))
      val taken = new ScarceMemory(2L << 20)
      val frame = sql(query)
      val answers =
        try merged(isOn = true)(frame)
        finally taken.close()
      assertEqual(answers, truth, query)
      val flushes = OperatorSuite.plans.collect(frame.queryExecution.executedPlan) {
        case sets: SketchGroupingSetsExec => sets.metrics("partialFlushes").value
      }
      assert(flushes.sum > 0, "nothing was flushed early")
    }
  }

  test("the rows are read by one aggregation, and merges are few") {
    withConf("spark.sql.adaptive.enabled" -> "false", "spark.sql.shuffle.partitions" -> "2") {
      val frame = sql(
        "SELECT a, b, c, d, approx_quantile(v, 0.5) AS q FROM (SELECT id % 2 AS a, id % 3 AS b, id % 5 AS c, id % 7 AS d, id AS v FROM range(0, 21000, 1, 2)) GROUP BY CUBE(a, b, c, d)"
      )
      assertEquals(frame.collect().length, 3 * 4 * 6 * 8)
      val merges = OperatorSuite.plans.collect(frame.queryExecution.executedPlan) {
        case sets: SketchGroupingSetsExec => sets.metrics("mergedGroups").value
      }
      // 15 sets from the 210 finest groups would take 3150
      assert(merges.sum < 1600 && merges.sum >= 4 * 210, merges)
      assertEquals(
        operators(frame).filterNot(_.mergesParts).map(_.metrics("numInputRows").value),
        Seq(21000L)
      )
    }
  }
}
