package chronosketch.spark.aggregate.operator

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.Encoders

import chronosketch.spark.aggregate.AggregateConf

/** Tests queries that our operator does not support: Spark's own runs them, and EXPLAIN says why. */
class DeclinedSuite extends OperatorSuite {
  private def view(): Unit = spark.range(0, 100, 1, 2).selectExpr(
    "id",
    "id % 2 AS k",
    "IF(id % 4 = 0, NULL, id div 2) AS v",
    "concat(IF(id % 2 = 0, 'a', 'A'), id % 3) AS s",
    "concat(IF(id % 2 = 0, 'a', 'A'), id % 3) COLLATE UTF8_LCASE AS c",
    "timestamp_seconds(id * 60) AS at"
  ).createOrReplaceTempView("left_over")

  private val declined = Seq(
    ("SELECT k, approx_quantile(DISTINCT v, 0.5) FROM left_over GROUP BY k", "approx_quantile is DISTINCT"),
    (
      "SELECT k, approx_quantile(v, 0.5), count(DISTINCT v) FROM left_over GROUP BY k",
      "count in the same query is DISTINCT"
    ),
    (
      "SELECT k, approx_quantile(v, 0.5), sort_array(collect_list(v)) FROM left_over GROUP BY k",
      "collect_list has no generated code"
    ),
    (
      "SELECT k, approx_quantile(v, 0.5), percentile_approx(v, 0.5) FROM left_over GROUP BY k",
      "percentile_approx has no generated code"
    ),
    (
      "SELECT k, approx_quantile(v, 0.5), max(s) FROM left_over GROUP BY k",
      "max of STRING has values of varying length"
    ),
    (
      "SELECT k, approx_quantile(v, 0.5), min_by(s, id), count(*) FROM left_over GROUP BY k",
      "min_by of STRING has values of varying length"
    ),
    (
      "SELECT lower(c), q FROM (SELECT c, approx_quantile(v, 0.5) AS q FROM left_over GROUP BY c)",
      "equal values of c can have different bytes"
    ),
    (
      "SELECT k, q FROM (SELECT k, named_struct('c', c) AS n, approx_quantile(v, 0.5) AS q FROM left_over GROUP BY k, named_struct('c', c))",
      "can have different bytes"
    ),
    (
      "SELECT session_window(at, '2 minutes'), approx_quantile(v, 0.5) FROM left_over WHERE id % 10 < 7 GROUP BY session_window(at, '2 minutes')",
      "a session window grows with its rows"
    )
  )

  private def explained(query: String): String = sql(s"EXPLAIN FORMATTED $query").head().getString(0)

  declined.foreach { case (query, why) =>
    test(s"declined: $why: $query") {
      view()
      val on = ask(isEnabled = true)(sql(query))
      assertEquals(on.operators.size, 0, "declined, and yet in the plan")
      assertEqual(on, inSparks(sql(query)), query)
      assert(on.rows.nonEmpty)
      // Spark chooses the name of a computed key
      assert(explained(query).contains(why), explained(query))
      assert(explained(query).contains("[Spark's own operator: "), explained(query))
    }
  }

  test("a DISTINCT call and a plain call in one query are declined for different reasons") {
    view()
    val plan = explained(
      "SELECT k, approx_quantile(DISTINCT v, 0.5), approx_quantile(v, 0.9) FROM left_over GROUP BY k"
    )
    val reasons = "approx_quantile\\(([^)]*)\\) \\[Spark's own operator: ([^\\]]*)\\]".r.findAllMatchIn(plan)
      .map(m => m.group(1).contains("distinct") -> m.group(2)).toSet
    assertEquals(
      reasons,
      Set(true -> "approx_quantile is DISTINCT", false -> "approx_quantile in the same query is DISTINCT"),
      plan
    )
  }

  test("if the operator is turned off, EXPLAIN names the setting") {
    view()
    val query =
      "SELECT k, approx_quantile(v, 0.5), sketch_count(quantile_sketch_agg(v)) FROM left_over GROUP BY k"
    withConf(AggregateConf.Enabled -> "false") {
      assert(
        explained(query).contains(s"[Spark's own operator: ${AggregateConf.Enabled} is false]"),
        explained(query)
      )
    }
    withConf(AggregateConf.Enabled -> "true") {
      assert(explained(query).contains("SketchAggregate"), explained(query))
      assert(!explained(query).contains("Spark's own operator"), explained(query))
    }
  }

  test("an aggregation without our functions runs in Spark's operator") {
    view()
    val on = ask(isEnabled = true)(sql("SELECT k, sum(v), collect_list(s) FROM left_over GROUP BY k"))
    assertEquals(on.operators.size, 0)
  }

  test("a setting that is neither true nor false is refused") {
    val refused = intercept[Exception with SparkThrowable](sql(s"SET ${AggregateConf.Enabled}=maybe"))
    assert(refused.getMessage.contains(AggregateConf.Enabled), refused.getMessage)
    assert(rows("SET -v").exists(_.getString(0) == AggregateConf.Enabled))
  }

  test("AQE still turns a join into a broadcast join by the statistics of our aggregation") {
    view()
    // AQE learns only at run time that the aggregation of the left side is small
    val query =
      """SELECT count(*), sum(q) FROM (SELECT v % 3 AS j, approx_quantile(id, 0.5) AS q FROM left_over WHERE s < 'b' GROUP BY v % 3) a
        |JOIN (SELECT id AS j FROM range(0, 100000, 1, 2)) b USING (j)""".stripMargin
    def joins(on: Boolean): String = withConf(
      AggregateConf.Enabled -> on.toString,
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.adaptive.autoBroadcastJoinThreshold" -> "10KB"
    ) {
      val asked = sql(query)
      asked.collect()
      asked.queryExecution.executedPlan.toString.linesIterator.takeWhile(!_.contains(
        "Initial Plan"
      )).mkString("\n")
    }
    Seq(true, false).foreach { on =>
      assert(joins(on).contains("BroadcastHashJoin"), s"enabled: $on\n${joins(on)}")
    }
  }

  test("a streaming aggregation runs in Spark's operator, which keeps its state") {
    withConf("spark.sql.shuffle.partitions" -> "2") {
      val stream = MemoryStream[Long](Encoders.scalaLong, spark)
      val query = stream.toDF()
        .selectExpr("value % 2 AS k", "value AS v")
        .groupBy("k").agg(org.apache.spark.sql.functions.expr("approx_quantile(v, 1)").as("q"))
        .writeStream.format("memory").queryName("streamed").outputMode("complete").start()
      try {
        stream.addData(1L, 2L, 3L)
        query.processAllAvailable()
        stream.addData(8L)
        query.processAllAvailable()
        assertEquals(
          rows("SELECT k, q FROM streamed ORDER BY k").map(OperatorSuite.text),
          Seq("{0, 8}", "{1, 3}")
        )
        val plan = new java.io.ByteArrayOutputStream
        Console.withOut(plan)(query.explain())
        assert(
          plan.toString.contains("ObjectHashAggregate") && !plan.toString.contains("SketchAggregate"),
          plan
        )
      } finally query.stop()
    }
  }
}
