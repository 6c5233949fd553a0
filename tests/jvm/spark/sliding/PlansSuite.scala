package chronosketch.spark.sliding

import org.apache.spark.sql.execution.window.WindowExec

import chronosketch.Cases
import chronosketch.spark.aggregate.operator.OperatorSuite

/** Tests the operator's place in plans, the operators around it, and the calls that it leaves to Spark. */
class PlansSuite extends SlidingSuite {
  private def view(): Unit = spark.range(0, 500, 1, 3).selectExpr(
    "id",
    "pmod(hash(id, 1), 9) AS k",
    "IF(pmod(hash(id, 8), 9) = 0, NULL, concat('k', pmod(hash(id, 1), 9))) AS s",
    "CASE pmod(hash(id, 4), 6) WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D ELSE 1.5D END AS d",
    "float(pmod(hash(id, 4), 6) - 3) / 2 AS f",
    "pmod(hash(id, 2), 2) = 0 AS b",
    "IF(pmod(hash(id, 2), 9) = 0, NULL, pmod(hash(id, 3), 50)) AS v",
    "CAST(pmod(hash(id, 3), 50) AS DECIMAL(7,2)) AS c",
    "IF(pmod(hash(id, 6), 10) = 0, NULL, pmod(hash(id, 7), 30)) AS t",
    "array(id, v) AS many",
    "repeat('x', int(id % 40)) AS text"
  ).createOrReplaceTempView("planned")

  private val last5 = "ROWS BETWEEN 4 PRECEDING AND CURRENT ROW"

  private val keys = Seq(
    "k",
    "s",
    "d",
    "f",
    "b",
    "c",
    "k, s",
    "d, b",
    "id % 3 = 0",
    "CAST(k AS DECIMAL(30,2))",
    "date_add(DATE'2024-01-01', k)",
    "named_struct('a', k, 'b', s)",
    "id",
    "NULL",
    "timestamp_seconds(k)",
    "IF(k = 3, NULL, CAST(k AS SMALLINT))"
  )

  for (key <- keys)
    test(s"PARTITION BY $key") {
      view()
      val answers =
        assertSame(
          s"SELECT *, approx_quantile(v, 0.5) OVER (PARTITION BY $key ORDER BY id $last5) AS q FROM planned"
        )
      assertEquals(answers.operators.size, 1)
      assertEquals(answers.sorts, 0)
      assert(answers.exchanges <= 1)
    }

  test("without PARTITION BY, without ORDER BY, without both") {
    view()
    assertSame(s"SELECT id, approx_quantile(v, 0.5) OVER (ORDER BY id $last5) AS q FROM planned")
    assertSame("SELECT id, approx_quantile(v, 0.5) OVER (PARTITION BY k) AS q FROM planned")
    assertSame("SELECT id, text, approx_quantile(v, 0.5) OVER () AS q FROM planned")
  }

  test("values of every type, FILTER, several phis") {
    view()
    val values = Seq(
      "CAST(v AS TINYINT)",
      "CAST(v AS SMALLINT)",
      "CAST(v AS INT)",
      "CAST(v AS BIGINT)",
      "f",
      "d",
      "c",
      "CAST(v AS DECIMAL(18,0))",
      "date_add(DATE'2024-01-01', v)",
      "timestamp_seconds(v)",
      "make_ym_interval(0, v)",
      "make_dt_interval(v)",
      "NULL",
      "CAST(timestamp_seconds(v) AS TIMESTAMP_NTZ)"
    )
    val asked = values.map(v => s"approx_quantile($v, 0.5) OVER w")
    assertSame(
      s"SELECT id, ${asked.mkString(", ")} FROM planned WINDOW w AS (PARTITION BY k ORDER BY id $last5)"
    )
    // some answers fit in fixed-width columns, some do not
    assertSame(
      s"""SELECT *, approx_quantile(v, 0.5) FILTER (WHERE t > 12) OVER w, approx_quantile(v, array(0.1, 0.5)) FILTER (WHERE b) OVER w,
         |  approx_quantile(v, 1) OVER w, approx_quantile(v, 0.5) OVER w, approx_quantile_bounds(c, array(1, 0)) OVER w, approx_quantile(d, 0.5, 0.1) OVER w
         |FROM planned WINDOW w AS (PARTITION BY k ORDER BY id $last5)""".stripMargin
    )
  }

  test("with Spark's own functions in one SELECT: one exchange, no sort") {
    view()
    val answers = assertSame(
      s"""SELECT row_number() OVER w AS n, approx_quantile(v, 0.5) OVER w AS q, lag(v) OVER w AS l, sum(v) OVER (PARTITION BY k ORDER BY id $last5) AS s,
         |  approx_quantile(c, array(0.5)) OVER (PARTITION BY k ORDER BY id $last5) AS qs, id, text
         |FROM planned WINDOW w AS (PARTITION BY k ORDER BY id)""".stripMargin
    )
    assertEquals((answers.operators.size, answers.exchanges, answers.sorts), (1, 1, 0), answers.plan.toString)
    assertEquals(answers.schema.fieldNames.toSeq, Seq("n", "q", "l", "s", "qs", "id", "text"))
  }

  for (key <- Seq("k", "s", "d", "f", "k, s", "c"))
    test(s"the output has the partitioning and order that Spark's window operator needs: $key") {
      view()
      val answers = assertSame(
        s"""SELECT *, approx_quantile(v, 0.5) OVER w AS q, row_number() OVER w AS n, sum(v) OVER w AS t
           |FROM planned WINDOW w AS (PARTITION BY $key ORDER BY id)""".stripMargin
      )
      assertEquals((answers.exchanges, answers.sorts), (1, 0), answers.plan.toString)
    }

  test("supported and declined calls in one query, each with its own reason") {
    view()
    val query =
      """SELECT id, sketch_count(sketch_merge_agg(stored) OVER w) AS n, approx_quantile(v, 0.5) OVER w AS q, rank() OVER w AS r,
        |  sketch_count(sketch_merge_agg(stored) OVER (PARTITION BY k)) AS a
        |FROM (SELECT *, (SELECT quantile_sketch_agg(1)) AS stored FROM planned) WINDOW w AS (PARTITION BY k ORDER BY id)""".stripMargin
    val answers = assertSame(query)
    assertEquals((answers.operators.size, answers.sorts), (1, 0), answers.plan.toString)
    val plan = explained(query)
    assert(plan.contains("[Spark's own operator: its frame only grows]"), plan)
    assert(plan.contains("[Spark's own operator: its frame is the whole partition]"), plan)
  }

  test("all calls of a window are declined, each with its own reason") {
    view()
    val range = "ORDER BY CAST(id AS DECIMAL(20,0)) RANGE BETWEEN 3 PRECEDING AND"
    val query =
      s"""SELECT id, approx_quantile(v, 0.5) OVER (PARTITION BY k $range CURRENT ROW) AS q,
         |  sketch_merge_agg(CAST(NULL AS BINARY)) OVER (PARTITION BY k ORDER BY CAST(id AS DECIMAL(20,0))) AS s FROM planned""".stripMargin
    val plan = explained(query)
    assert(plan.contains("[Spark's own operator: its RANGE is over DECIMAL(20,0)]"), plan)
    assert(plan.contains("[Spark's own operator: its frame only grows]"), plan)
    val on = ask(isEnabled = true)(sql(query))
    assertEqual(on, inSparks(sql(query)), query)
  }

  private def explained(query: String): String = sql(s"EXPLAIN FORMATTED $query").head().getString(0)

  private val declined = Seq(
    "sketch_merge_agg(CAST(NULL AS BINARY)) OVER (ORDER BY id)" -> "its frame only grows",
    "sketch_merge_agg(NULL) OVER (PARTITION BY k)" -> "its frame is the whole partition",
    "approx_quantile(v, 0.5) OVER (ORDER BY CAST(id AS DECIMAL(20,0)) RANGE BETWEEN 3 PRECEDING AND CURRENT ROW)" -> "its RANGE is over DECIMAL(20,0)",
    "approx_quantile(v, 0.5) OVER (PARTITION BY s COLLATE UTF8_LCASE ORDER BY id)" -> "can have different bytes"
  )

  for ((call, why) <- declined)
    test(s"declined: $why: $call") {
      view()
      val query = s"SELECT id, $call AS q FROM planned"
      val on = ask(isEnabled = true)(sql(query))
      assertEquals(on.operators.size, 0)
      assertEqual(on, inSparks(sql(query)), query)
      assert(explained(query).contains(s"[Spark's own operator: "), explained(query))
      assert(explained(query).contains(why), explained(query))
    }

  test("EXPLAIN shows the structure, the frame and the sort, or the setting that turned the operator off") {
    view()
    val query = s"SELECT approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY t $last5) FROM planned"
    withConf(SlidingConf.Enabled -> "false")(
      assert(
        explained(query).contains(s"[Spark's own operator: ${SlidingConf.Enabled} is false]"),
        explained(query)
      )
    )
    val plan = explained(query)
    Seq("SketchWindow", "Structure: block sort", "Sort: own radix sort", "-4").foreach(t =>
      assert(plan.contains(t), plan)
    )
    assert(!plan.contains("Spark's own operator"), plan)
    assert(explained(query.replace("ORDER BY t", "ORDER BY t, text")).contains("Sort: Spark's sorter"))
    val refused = intercept[Exception](sql(s"SET ${SlidingConf.Enabled}=maybe"))
    assert(refused.getMessage.contains(SlidingConf.Enabled), refused.getMessage)
  }

  test("input that is already ordered is not sorted again") {
    view()
    val query =
      s"""SELECT *, approx_quantile(q, 0.5) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS qq
         |FROM (SELECT *, approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY id $last5) AS q FROM planned)""".stripMargin
    val answers = assertSame(query)
    assertEquals((answers.operators.size, answers.exchanges, answers.sorts), (2, 1, 0))
    val plan = explained(query)
    assert(plan.contains("Sort: own radix sort") && plan.contains("Sort: input is ordered"), plan)
    // below a sort of Spark's
    assertSame(
      s"SELECT *, approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY id $last5) AS q FROM (SELECT /*+ REPARTITION(3, k) */ * FROM planned) SORT BY k, id"
    )
    assertSame(
      s"SELECT *, approx_quantile(v, array(0.5)) OVER (PARTITION BY k, b ORDER BY id, s $last5) AS q, row_number() OVER (PARTITION BY k, b ORDER BY id, s) AS n FROM planned"
    )
  }

  private val q = s"approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY id $last5) AS q"
  private val around = Seq(
    "a subquery, filtered" -> s"SELECT * FROM (SELECT *, $q FROM planned) WHERE q > 20",
    "a view" -> s"SELECT k, max(q), count(*) FROM windowed GROUP BY k",
    "joined" -> s"SELECT * FROM (SELECT id, k, $q FROM planned) a JOIN (SELECT id, $q FROM planned) b USING (id)",
    "merge-joined on the partition key" ->
      s"SELECT /*+ MERGE(b) */ a.id, a.q, b.m FROM (SELECT id, k, $q FROM planned) a JOIN (SELECT k, max(v) AS m FROM planned GROUP BY k) b ON a.k = b.k",
    "a union" -> s"SELECT id, $q FROM planned UNION ALL SELECT id, v FROM planned",
    "aggregated by the partition key" -> s"SELECT k, sum(q), approx_quantile(q, 0.5) FROM (SELECT k, $q FROM planned) GROUP BY k",
    "ordered and limited" -> s"SELECT id, $q FROM planned ORDER BY q DESC NULLS LAST, id LIMIT 7",
    "distinct" -> s"SELECT DISTINCT k, $q FROM planned",
    "in a scalar subquery" -> s"SELECT id, (SELECT max(q) FROM (SELECT $q FROM planned)) AS m FROM planned",
    "columns pruned" -> s"SELECT q FROM (SELECT *, $q FROM planned)",
    "over an aggregation" -> s"SELECT k, b, approx_quantile(sum(v), 0.5) OVER (PARTITION BY k ORDER BY b) AS q FROM planned GROUP BY k, b",
    "several windows" ->
      s"SELECT id, $q, approx_quantile(v, 0.9) OVER (PARTITION BY s ORDER BY id DESC) AS r, approx_quantile(d, 0.9) OVER (ORDER BY id) AS u FROM planned"
  )

  private val ways = Seq(
    "adaptive" -> Nil,
    "not adaptive" -> Seq("spark.sql.adaptive.enabled" -> "false"),
    "not compiled" -> OperatorSuite.notCompiled
  )

  for (((name, query), i) <- around.zipWithIndex)
    test(name) {
      view()
      sql(s"SELECT *, $q FROM planned").createOrReplaceTempView("windowed")
      val sparks = inSparks(sql(query))
      for ((way, conf) <- Cases.turn(i, ways))
        withConf(conf: _*)(assertEqual(inOurs(sql(query)), sparks, s"$way: $query"))
    }

  for ((way, conf) <- ways)
    test(s"no rows: $way") {
      view()
      val query = s"SELECT id, $q FROM planned WHERE id < 0"
      // with AQE, Spark notices the empty input and removes the operator
      withConf(conf: _*)(assertEqual(ask(isEnabled = true)(sql(query)), inSparks(sql(query)), query))
    }

  test("a cached query") {
    view()
    val query = s"SELECT id, $q FROM planned"
    // a cached plan keeps the settings that it was planned with
    sql(query).createOrReplaceTempView("cached")
    sql("CACHE TABLE cached")
    try assertEqual(ask(isEnabled = true)(sql("SELECT * FROM cached")), inSparks(sql(query)), query)
    finally sql("UNCACHE TABLE cached")
  }

  test("LIMIT without an order") {
    view()
    val all = inSparks(sql(s"SELECT id, $q FROM planned")).texts.toSet
    val some = inOurs(sql(s"SELECT id, $q FROM planned LIMIT 20")).texts
    assertEquals((some.size, some.forall(all)), (20, true))
  }

  test("equal windows share one exchange") {
    view()
    val one = s"(SELECT k, id, $q FROM planned)"
    val answers = assertSame(s"SELECT * FROM $one a JOIN $one b ON a.id = b.id + 1 AND a.k = b.k")
    assert(answers.plan.toString.contains("ReusedExchange"), answers.plan.toString)
  }

  test("more values than the bits of a word") {
    view()
    val asked =
      (0 until 70).map(i => s"approx_quantile(v + $i, 0.5) OVER (PARTITION BY k ORDER BY id $last5) AS q$i")
    val answers = assertSame(s"SELECT id, ${asked.mkString(", ")} FROM planned")
    assertEquals((answers.operators.size, answers.exchanges, answers.sorts), (2, 1, 0))
  }

  test("metrics count rows, groups, memory and spilled bytes") {
    view()
    val answers = inOurs(sql(s"SELECT id, $q FROM planned"))
    assertEquals((answers.metric("numOutputRows"), answers.metric("numGroups")), (500L, 9L))
    assert(answers.metric("peakMemory") > 500 * 40, answers.metric("peakMemory"))
    assertEquals((answers.metric("handOvers"), answers.metric("spillSize")), (0L, 0L))
    val streamed = inOurs(sql("SELECT approx_quantile(v, 0.5) OVER () FROM planned"))
    assertEquals((streamed.metric("numOutputRows"), streamed.metric("numGroups")), (500L, 1L))
  }

  test("a window without our functions runs in Spark's operator") {
    view()
    val answers = ask(isEnabled = true)(sql("SELECT sum(v) OVER (PARTITION BY k) FROM planned"))
    assertEquals(answers.operators.size, 0)
    assertEquals(OperatorSuite.plans.collectWithSubqueries(answers.plan) { case w: WindowExec => w }.size, 1)
  }
}
