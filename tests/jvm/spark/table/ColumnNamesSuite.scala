package chronosketch.spark.table

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.functions.{col, lit}

import chronosketch.spark.functions._
import chronosketch.spark.{FunctionTable, SparkSuite}

/** Tests the names of columns that have no alias: the call, without arguments that have their default. */
class ColumnNamesSuite extends SparkSuite {
  private def name(query: String): String = sql(query).columns.head

  private def nameOf(call: String): String = name(
    s"SELECT $call FROM (SELECT id AS v, timestamp_seconds(id) AS t, quantile_sketch_agg(id) OVER () AS s FROM range(9))"
  )

  test("a column is named by its call, without the defaults") {
    Seq(
      "sketch_quantile(s, 0.5)",
      "sketch_quantile(s, array(0.5, 0.99))",
      "sketch_quantile_bounds(s, 0.5)",
      "sketch_min(s)",
      "sketch_merge(s, s)",
      "sketch_histogram(s)",
      "sketch_trimmed_mean(s)",
      "sketch_ks(s, s)",
      "approx_quantile(v, 0.5)",
      "approx_quantile_bounds(v, 0.5)",
      "approx_quantile(DISTINCT v, 0.5)",
      "approx_quantile((v + 1), 0.5)",
      "quantile_sketch_agg(v)",
      "ddsketch_agg(v)",
      "moments_agg(v)",
      "sample_sketch_agg(v)",
      "n_least(v, 2)",
      "sketch_merge_agg(s)",
      "window_sketch_agg(v, t)",
      "approx_window_quantile(v, v, 0.5, 3)",
      "history_sketch_agg(v, v)",
      "sketch_quantile(sketch_merge_agg(s), 0.5)",
      "sketch_count(sketch_window(window_sketch_agg(v, v), 3))"
    ).foreach(call => assertEquals(nameOf(call), call))
  }

  test("arguments that follow a gap are written with their names, however they were given") {
    Seq(
      "sketch_quantile(s, 0.5, bigint)" -> Seq("'bigint'", "type => 'bigint'"),
      "sketch_quantile(s, 0.5, interpolation => linear)" ->
        Seq("'double', 'linear'", "interpolation => 'linear'"),
      "sketch_quantile(s, 0.5)" -> Seq("'double'", "'double', 'nearest'", "type => 'double'")
    ).foreach { case (expected, tails) =>
      tails.foreach(tail => assertEquals(nameOf(s"sketch_quantile(s, 0.5, $tail)"), expected))
    }
    assertEquals(nameOf("approx_quantile(phi => 0.5, value => v)"), "approx_quantile(v, 0.5)")
    assertEquals(nameOf("approx_quantile(v, 0.5, 0.0001)"), "approx_quantile(v, 0.5)")
    assertEquals(nameOf("approx_quantile(v, 0.5, 0.001)"), "approx_quantile(v, 0.5, 0.001)")
    assertEquals(nameOf("approx_quantile(v, 0.5, tail => 'high')"), "approx_quantile(v, 0.5, tail => high)")
    assertEquals(nameOf("approx_quantile(v, 0.5, frequency => v)"), "approx_quantile(v, 0.5, frequency => v)")
    assertEquals(nameOf("chronosketch_sketch_quantile(s, 0.5)"), "sketch_quantile(s, 0.5)")
  }

  test("with FILTER, WITHIN GROUP and OVER") {
    assertEquals(
      nameOf("approx_quantile(v, 0.5) FILTER (WHERE v > 3)"),
      "approx_quantile(v, 0.5) FILTER (WHERE (v > 3))"
    )
    assertEquals(nameOf("approx_quantile(0.5) WITHIN GROUP (ORDER BY v)"), "approx_quantile(v, 0.5)")
    assertEquals(
      nameOf("approx_quantile(0.5) WITHIN GROUP (ORDER BY v DESC)"),
      "approx_quantile(0.5) WITHIN GROUP (ORDER BY v DESC)"
    )
    assert(nameOf("approx_quantile(v, 0.5) OVER (ORDER BY t)").startsWith("approx_quantile(v, 0.5) OVER ("))
  }

  test("the columns of Scala have the names of SQL") {
    val rows = sql("SELECT id AS v, quantile_sketch_agg(id) OVER () AS s FROM range(9)")
    assertEquals(rows.select(sketch_quantile(col("s"), 0.5)).columns.toSeq, Seq("sketch_quantile(s, 0.5)"))
    assertEquals(
      rows.groupBy(col("v")).agg(approx_quantile(col("v"), 0.5), quantile_sketch_agg(col("v"))).columns.toSeq,
      Seq("v", "approx_quantile(v, 0.5)", "quantile_sketch_agg(v)")
    )
    assertEquals(
      rows.select(sketch_quantile(col("s"), lit(0.5), "bigint")).columns.toSeq,
      Seq("sketch_quantile(s, 0.5, bigint)")
    )
  }

  test("no example of the reference shows a default in its name") {
    FunctionTable.all.foreach { f =>
      val defaults = f.arguments.flatMap(_.defaultText).toSet -- Seq("0", "1", "false")
      f.examples.filter(e =>
        e.query.startsWith(s"SELECT ${f.name}(") && !e.query.contains("FROM json")
      ).foreach { e =>
        val shown = name(e.query)
        assert(shown.startsWith(s"${f.name}("), shown)
        defaults.foreach { d =>
          val pretty = d.stripPrefix("'").stripSuffix("'")
          assert(e.query.contains(pretty) || !shown.endsWith(s", $pretty)"), s"$shown: ${e.query}")
        }
        assert(!shown.contains(", NULL)") || e.query.contains("NULL"), shown)
      }
    }
  }

  test("the SQL of a call keeps its defaults, because it may be stored and defaults may change") {
    val plan =
      sql("SELECT sketch_quantile(quantile_sketch_agg(id), 0.5) FROM range(9)").queryExecution.analyzed
    val full = plan.expressions.head.children.head.sql
    assertEquals(full, "sketch_quantile(quantile_sketch_agg(id, 0.001D), 0.5BD, 'double', 'nearest')")
  }

  test(
    "views, temporary views and cached plans answer, and a cached plan is found by calls that mean the same"
  ) {
    val query = "SELECT sketch_quantile(quantile_sketch_agg(id), 0.5) FROM range(9)"
    sql(s"CREATE OR REPLACE TEMP VIEW named_by_call AS $query")
    assertEquals(one("SELECT `sketch_quantile(quantile_sketch_agg(id), 0.5)` FROM named_by_call"), 4.0)
    // Spark stores no view whose columns have such names, so none depends on them
    assertEquals(
      intercept[AnalysisException](sql(s"CREATE VIEW stored_by_call AS $query")).getCondition,
      "CREATE_PERMANENT_VIEW_WITHOUT_ALIAS"
    )
    val cached = sql(query).cache()
    try {
      assertEquals(cached.head().getDouble(0), 4.0)
      def isCached(text: String): Boolean =
        sql(text).queryExecution.withCachedData.toString.contains("InMemoryRelation")
      assert(isCached(query))
      assert(isCached(
        "SELECT sketch_quantile(quantile_sketch_agg(id, 0.001), 0.5, 'double') AS other FROM range(9)"
      ))
      assert(!isCached("SELECT sketch_quantile(quantile_sketch_agg(id), 0.5, 'bigint') FROM range(9)"))
      assert(!isCached("SELECT sketch_quantile(quantile_sketch_agg(id, 0.01), 0.5) FROM range(9)"))
    } finally cached.unpersist()
  }
}
