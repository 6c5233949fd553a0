package chronosketch.spark.history.operator

import org.apache.spark.sql.execution.{SortExec, SparkPlan}
import org.apache.spark.sql.{DataFrame, Row}

import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.aggregate.operator.{OperatorSuite, ScarceMemory}
import chronosketch.spark.sql.Arguments

/** Tests which queries run in the operator for histories, what EXPLAIN shows, and how much memory it uses. */
class HistoryPlansSuite extends SparkSuite {
  private def view(rows: Long = 300): Unit = spark.range(0, rows, 1, 2).selectExpr(
    "id",
    "id % 3 AS k",
    "pmod(id * 7919, 101) AS v",
    "pmod(id * 31, 300) AS at",
    "pmod(id * 31, 300) + 5 AS until",
    "concat('a', id % 3) COLLATE UTF8_LCASE AS c",
    "timestamp_seconds(id * 60) AS ts"
  ).createOrReplaceTempView("planned")

  private def operators(query: DataFrame): Seq[SparkPlan] =
    OperatorSuite.plans.collectWithSubqueries(query.queryExecution.executedPlan) {
      case h: HistoryAggregateExec => h
    }

  private def explained(query: String): String = sql(s"EXPLAIN FORMATTED $query").head().getString(0)

  private val taken = Seq(
    "SELECT k, history_sketch_agg(v, at) FROM planned GROUP BY k",
    "SELECT history_sketch_agg(v, at) FROM planned",
    "SELECT k, c % 2, history_sketch_agg(v, at, until => until) FROM (SELECT k, id AS c, v, at, until FROM planned) GROUP BY 1, 2",
    "SELECT k, history_sketch_agg(v, at), history_sketch_agg(id, at, epsilon => 0.1), approx_quantile_at_version(v, at, 1, 0.5, 9) FROM planned GROUP BY k",
    "SELECT k, sketch_count(sketch_at_version(history_sketch_agg(v, at), 297 - k)) FROM planned GROUP BY k HAVING sketch_versions(history_sketch_agg(v, at)).trees > 0",
    "SELECT * FROM range(3) AS r WHERE 0 < (SELECT sketch_count(sketch_at_version(history_sketch_agg(v, at), 200)) FROM planned WHERE k = r.id)"
  )

  taken.foreach { query =>
    test(s"runs in our operator, with the answers of Spark's: $query") {
      view()
      def texts(on: Boolean): Seq[String] = withConf(AggregateConf.Enabled -> on.toString) {
        val asked = sql(query)
        val answers = asked.collect().toSeq.map(OperatorSuite.text).sorted
        assertEquals(operators(asked).size, if (on) 1 else 0, query)
        answers
      }
      val ours = texts(on = true)
      assert(ours.nonEmpty)
      assertEquals(ours, texts(on = false))
    }
  }

  private val declined = Seq(
    "SELECT k, history_sketch_agg(v, at), count(*) FROM planned GROUP BY k" -> "count in the same query builds no history",
    "SELECT k, history_sketch_agg(v, at), approx_quantile(v, 0.5) FROM planned GROUP BY k" -> "approx_quantile in the same query builds no history",
    "SELECT k, history_sketch_agg(DISTINCT v, at) FROM planned GROUP BY k" -> "history_sketch_agg is DISTINCT",
    "SELECT k, history_sketch_agg(v, at), history_sketch_agg(v, id) FROM planned GROUP BY k" -> "another history in the same query has other versions",
    "SELECT lower(c), s FROM (SELECT c, history_sketch_agg(v, at) AS s FROM planned GROUP BY c)" -> "equal values of c can have different bytes",
    "SELECT session_window(ts, '2 minutes'), history_sketch_agg(v, at) FROM planned GROUP BY 1" -> "a session window grows with its rows"
  )

  declined.foreach { case (query, why) =>
    test(s"declined: $why") {
      view()
      val asked = sql(query)
      assert(asked.collect().nonEmpty)
      assertEquals(operators(asked).size, 0)
      val plan = explained(query)
      assert(plan.contains(s"[Spark's own operator: $why]"), plan)
    }
  }

  test("a history and another sketch in one query: EXPLAIN says why both are declined, and both answer") {
    view()
    val query = "SELECT history_sketch_agg(v, at) AS h, approx_quantile(v, 0.5) AS q FROM planned"
    val plan = explained(query)
    assert(plan.contains("approx_quantile in the same query builds no history"), plan)
    assert(plan.contains("history_sketch_agg has no generated code"), plan)
    assertEquals(
      one(s"SELECT struct(sketch_versions(h).last, q) FROM ($query)"),
      Row(299L, one("SELECT approx_quantile(v, 0.5) FROM planned"))
    )
  }

  test("EXPLAIN shows the operator over a sort by group and version, or the setting that turned it off") {
    view()
    val query =
      "SELECT k, history_sketch_agg(v, at, until => until) FILTER (WHERE id > 3) AS s FROM planned GROUP BY k"
    val plan = explained(query)
    assert(plan.contains("HistoryAggregate"), plan)
    assert(
      plan.contains(
        "Functions [1]: [history_sketch_agg(v, at, 0.01D, until) FILTER (WHERE (id > 3L))]"
      ),
      plan
    )
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val sorts = sql(query).queryExecution.executedPlan.collect { case s: SortExec => s }
      assertEquals(sorts.map(_.sortOrder.map(o => Arguments.unqualified(o.child))), Seq(Seq("k", "version")))
    }
    withConf(AggregateConf.Enabled -> "false") {
      assert(explained(query).contains(s"[Spark's own operator: ${AggregateConf.Enabled} is false]"))
    }
  }

  test("memory depends on the elements alive at one version and on the sketch, not on the number of rows") {
    // a thousand of half a million rows are alive at a time
    val asked = sql(
      "SELECT history_sketch_agg(id % 100, id div 1000, until => id div 1000 + 1) AS s FROM range(0, 500000, 1, 2)"
    )
    val sketch = asked.head().getAs[Array[Byte]](0)
    asked.collect()
    val peak = operators(asked).map(_.metrics("peakMemory").value).sum
    assert(peak > 24 * 1000, peak.toString)
    assert(peak < 24L * 500000 / 4, s"$peak for a sketch of ${sketch.length} bytes")
  }

  test("answers stay the same if Spark has no memory left and spills the sort") {
    view(60000)
    val query = "SELECT k, history_sketch_agg(v, at, until => until) FROM planned GROUP BY k"
    val expected = rows(query).map(OperatorSuite.text).sorted
    val taken = new ScarceMemory(2L << 20)
    try assertEquals(rows(query).map(OperatorSuite.text).sorted, expected)
    finally taken.close()
  }
}
