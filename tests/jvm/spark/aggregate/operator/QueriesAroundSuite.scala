package chronosketch.spark.aggregate.operator

import java.nio.file.Files

import org.apache.spark.sql.functions.{col, expr}

import chronosketch.Cases

/** Tests queries with many kinds of operators below, above and next to ours. */
class QueriesAroundSuite extends OperatorSuite {
  private def view(): Unit = spark.range(0, 240, 1, 3).selectExpr(
    "id",
    "id % 4 AS k",
    "concat('s', id % 3) AS s",
    "IF(id % 5 = 0, NULL, id div 2) AS v"
  ).createOrReplaceTempView("around")

  private val asked = "approx_quantile(v, 0.5) AS q, count(*) AS n, sum(v) AS t"
  private val grouped = s"(SELECT k, $asked FROM around GROUP BY k)"

  private val queries = Seq(
    "GROUPING SETS" -> s"SELECT k, s, grouping_id(), grouping(k), $asked FROM around GROUP BY GROUPING SETS ((k), (s, k), ())",
    "ROLLUP" -> s"SELECT k, s, grouping_id(k, s), $asked FROM around GROUP BY ROLLUP(k, s)",
    "CUBE" -> s"SELECT k, s, id % 2, $asked, approx_quantile(k, 0.5) FROM around GROUP BY CUBE(k, s, id % 2)",
    "HAVING" -> s"SELECT k, s, $asked FROM around GROUP BY k, s HAVING approx_quantile(v, 0.5) > 58 AND count(v) > 10",
    "ORDER BY an aggregate" -> "SELECT k, s FROM around GROUP BY k, s ORDER BY approx_quantile(v, 0.9) DESC, k LIMIT 3",
    "expressions over answers" ->
      "SELECT k + approx_quantile(v, 0.5) * 2, sketch_quantile(quantile_sketch_agg(v), 0.5) / sum(v), approx_quantile(v, array(0, 1))[1] - min(v) FROM around GROUP BY k",
    "a scalar subquery" -> "SELECT count(*) FROM around WHERE v > (SELECT approx_quantile(v, 0.9) FROM around)",
    "a correlated subquery" -> "SELECT id FROM around o WHERE v >= (SELECT approx_quantile(v, 0.9) FROM around i WHERE i.k = o.k)",
    "IN" -> "SELECT id FROM around WHERE v IN (SELECT approx_quantile(v, 0.5) FROM around GROUP BY k)",
    "PIVOT" -> s"SELECT * FROM (SELECT k, s, v FROM around) PIVOT (approx_quantile(v, 0.5) AS q, sum(v) AS t FOR s IN ('s0', 's1', 's9'))",
    "a CTE twice" -> s"WITH g AS $grouped SELECT a.k, a.q - b.q FROM g a JOIN g b ON a.k + 1 = b.k",
    "UNION ALL" -> s"SELECT * FROM $grouped UNION ALL SELECT * FROM $grouped",
    "a self join on keys" -> s"SELECT * FROM $grouped a JOIN $grouped b USING (k)",
    "an aggregation of answers" -> s"SELECT approx_quantile(q, 0.5), sum(n), max(t) FROM $grouped",
    "an aggregation by answers" -> s"SELECT n, approx_quantile(q, array(0, 1)) FROM $grouped GROUP BY n",
    "a broadcast join below" -> "SELECT /*+ BROADCAST(r) */ r.x, approx_quantile(v, 0.5), count(*) FROM around JOIN (SELECT id AS k, id * 2 AS x FROM range(3)) r USING (k) GROUP BY r.x",
    "a sort-merge join below" -> s"SELECT /*+ MERGE(r) */ k, approx_quantile(l.v, 0.5), count(*) FROM around l JOIN around r USING (k) GROUP BY k",
    "a shuffled hash join below" -> s"SELECT /*+ SHUFFLE_HASH(r) */ k, approx_quantile(l.v, 0.5), count(*) FROM around l JOIN around r USING (k) GROUP BY k",
    "an outer join below" -> "SELECT r.k, approx_quantile(l.v, 0.5), count(*) FROM around l FULL JOIN (SELECT id AS k FROM range(2, 6)) r ON l.k = r.k GROUP BY r.k",
    "explode below" -> "SELECT k, x, approx_quantile(v + x, 0.5) FROM around LATERAL VIEW OUTER explode(sequence(1, int(id % 3))) AS x GROUP BY k, x",
    "a window below" -> "SELECT k, approx_quantile(r, 0.5), sum(r) FROM (SELECT k, row_number() OVER (PARTITION BY k ORDER BY id) AS r FROM around) GROUP BY k",
    "a window above" -> s"SELECT *, sum(q) OVER (ORDER BY k), rank() OVER (ORDER BY q DESC) FROM $grouped",
    "DISTINCT above" -> s"SELECT DISTINCT n, q > 50 FROM $grouped",
    "DISTINCT below" -> "SELECT k, approx_quantile(v, 0.5) FROM (SELECT DISTINCT k, v FROM around) GROUP BY k",
    "LIMIT below" -> "SELECT s, approx_quantile(v, 0.5), count(*) FROM (SELECT * FROM around ORDER BY id LIMIT 50) GROUP BY s",
    "explode above" -> s"SELECT k, x FROM $grouped LATERAL VIEW explode(array(q, n)) AS x",
    "a filter above that drops all" -> s"SELECT * FROM $grouped WHERE q < k - 100",
    "by a range" -> s"SELECT k, $asked FROM (SELECT /*+ REPARTITION_BY_RANGE(3, k) */ * FROM around) GROUP BY k",
    "by what it is partitioned by" -> s"SELECT k, s, $asked FROM (SELECT /*+ REPARTITION(3, k) */ * FROM around) GROUP BY k, s",
    "values" -> "SELECT k, approx_quantile(v, 0.5), sum(v) FROM VALUES (1, 10), (1, 20), (2, NULL) AS t(k, v) GROUP BY k",
    "a time window" -> "SELECT window(timestamp_seconds(id), '1 minute'), approx_quantile(v, 0.5) FROM around GROUP BY 1"
  )

  private val ways =
    Seq(
      "AQE off" -> Seq("spark.sql.adaptive.enabled" -> "false"),
      "not compiled" -> OperatorSuite.notCompiled
    )

  Cases.inTurns(queries, ways).foreach { case ((name, query), (way, conf)) =>
    test(s"$name, $way too") {
      view()
      val answers = assertSame(query)
      withConf(conf: _*)(assertEqual(inOurs(sql(query)), answers, query))
    }
  }

  test("the code of many functions is split over several methods") {
    view()
    val many = (1 to 25).map(n => s"sum(id + $n), approx_quantile(v * $n, 0.5)").mkString(", ")
    assertSame(s"SELECT k, $many FROM around GROUP BY k")
  }

  test("LIMIT above returns some of the groups") {
    view()
    val all = inSparks(sql(s"SELECT * FROM $grouped")).rows.toSet
    val some = inOurs(sql(s"SELECT * FROM $grouped LIMIT 2")).rows
    assertEquals(some.size, 2)
    assert(some.forall(all.contains))
  }

  test("equal aggregations in one query share an exchange") {
    view()
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val plan =
        sql(s"WITH g AS $grouped SELECT * FROM g a JOIN g b ON a.k = b.k + 1").queryExecution.executedPlan
      assert(plan.toString.contains("ReusedExchange"), plan)
    }
  }

  test("the DataFrame API: agg, groupBy, pivot, rollup") {
    view()
    def from = spark.table("around")
    assertSame("agg", from.agg(expr("approx_quantile(v, 0.5)"), expr("sum(v)")))
    assertSame(
      "groupBy",
      from.groupBy(col("k"), col("id") % 2).agg(expr("approx_quantile(v, 0.5)"), expr("count(*)"))
    )
    assertSame("pivot", from.groupBy("k").pivot("s").agg(expr("approx_quantile(v, 0.5)")))
    assertSame(
      "pivot by values",
      from.groupBy("k").pivot("s", Seq("s0", "s2")).agg(expr("approx_quantile(v, 0.5)"), expr("sum(v)"))
    )
    assertSame("rollup", from.rollup("k", "s").agg(expr("approx_quantile(v, 0.5)")))
  }

  test("a cached result, a stored view, and a table created from a result") {
    view()
    val query = s"SELECT * FROM $grouped"
    val truth = inSparks(sql(query))
    val cached = inOurs { val df = sql(query); df.collect(); df }
    assertEqual(cached, truth, query)
    sql(s"CACHE TABLE around_cached AS $query")
    try assertEquals(
        sql("SELECT * FROM around_cached").collect().toSeq.map(OperatorSuite.text).sorted,
        truth.rows
      )
    finally { sql("DROP VIEW around_cached"); () }
    sql(s"CREATE TABLE around_stored USING parquet AS $query")
    try assertEquals(
        sql("SELECT * FROM around_stored").collect().toSeq.map(OperatorSuite.text).sorted,
        truth.rows
      )
    finally { sql("DROP TABLE around_stored"); () }
  }

  Seq("parquet", "csv", "json", "orc").foreach { format =>
    test(s"input from files: $format") {
      view()
      val folder = Files.createTempDirectory("around").resolve(format).toString
      spark.table("around").write.format(format).option("header", "true").save(folder)
      spark.read.format(format).option(
        "header",
        "true"
      ).schema("id BIGINT, k BIGINT, s STRING, v BIGINT").load(folder)
        .createOrReplaceTempView("files")
      assertSame(s"SELECT k, s, $asked FROM files GROUP BY k, s")
      assertSame(s"SELECT $asked FROM files WHERE k = 2")
      withConf(
        "spark.sql.parquet.enableVectorizedReader" -> "false",
        "spark.sql.orc.enableVectorizedReader" -> "false"
      ) {
        assertSame(s"SELECT k, $asked FROM files GROUP BY k")
      }
    }
  }

  test("a bucketed table needs no exchange between the two aggregations, as in Spark's operator") {
    view()
    sql("CREATE TABLE around_buckets USING parquet CLUSTERED BY (k) INTO 3 BUCKETS AS SELECT * FROM around")
    try {
      val query = s"SELECT k, $asked FROM around_buckets GROUP BY k"
      assertSame(query)
      withConf("spark.sql.adaptive.enabled" -> "false") {
        def exchanges(on: Boolean): Int =
          withConf(chronosketch.spark.aggregate.AggregateConf.Enabled -> on.toString)(
            sql(query).queryExecution.executedPlan.toString.linesIterator.count(_.contains("Exchange"))
          )
        assertEquals((exchanges(on = true), exchanges(on = false)), (0, 0))
      }
      withConf("spark.sql.sources.bucketing.autoBucketedScan.enabled" -> "false")(assertSame(query))
    } finally { sql("DROP TABLE around_buckets"); () }
  }
}
