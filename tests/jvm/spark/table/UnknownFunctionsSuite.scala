package chronosketch.spark.table

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.functions.{call_function, col, lit}

import chronosketch.spark.{FunctionTable, SparkSuite}

/** Tests the error for an unknown function that looks like ours: it names the right one, and its fix runs. */
class UnknownFunctionsSuite extends SparkSuite {
  private lazy val frame: Unit = {
    sql(
      "SELECT id AS x, id % 3 AS k, timestamp_seconds(id) AS t FROM range(1, 101)"
    ).createOrReplaceTempView("guessed")
    sql(
      "SELECT k, quantile_sketch_agg(x, sum => true) AS s FROM guessed GROUP BY k"
    ).createOrReplaceTempView("guessed_sketches")
  }

  private def over(call: String): String =
    if (call.contains("(s")) s"SELECT $call FROM guessed_sketches" else s"SELECT $call FROM guessed"

  private def unknown(query: String): AnalysisException = {
    frame
    val e = intercept[AnalysisException](sql(query).collect())
    assertEquals(e.getCondition, "CHRONOSKETCH_UNKNOWN_FUNCTION", e.getMessage)
    assertEquals(e.getSqlState, "42883")
    e
  }

  /** Calls that a stranger may write, and what to write instead. */
  private val guesses = Seq(
    "sketch_percentile(s, 0.99)" -> "sketch_quantile(s, 0.99)",
    "sketch_percentile(s, 99)" -> "sketch_quantile(s, 0.99)",
    "sketch_percentile(s, 99.9)" -> "sketch_quantile(s, 0.999)",
    "Sketch_Percentile(s, phi => 0.5)" -> "sketch_quantile(s, phi => 0.5)",
    "getSketchQuantile(s, 0.5, 'bigint')" -> "sketch_quantile(s, 0.5, 'bigint')",
    "chronosketch_sketch_percentile(s, 0.5)" -> "sketch_quantile(s, 0.5)",
    "sketch_quantiles(s, array(0.5, 0.9))" -> "sketch_quantile(s, array(0.5, 0.9))",
    "sketch_qauntile(s, 0.5)" -> "sketch_quantile(s, 0.5)",
    "sketch_p99(s)" -> "sketch_quantile(s, 0.99)",
    "sketch_p999(s)" -> "sketch_quantile(s, 0.999)",
    "sketch_p50(s)" -> "sketch_quantile(s, 0.5)",
    "sketch_median(s)" -> "sketch_quantile(s, 0.5)",
    "approx_percentile_estimate(s, 0.5)" -> "sketch_quantile(s, 0.5)",
    "value_at_quantile(s, 0.5)" -> "sketch_quantile(s, 0.5)",
    "quantile_sketch_merge(s)" -> "sketch_merge_agg(s)",
    "quantile_sketch_merge(s, s)" -> "sketch_merge(s, s)",
    "merge_sketch_agg(s)" -> "sketch_merge_agg(s)",
    "sketch_union_agg(s)" -> "sketch_merge_agg(s)",
    "sketch_merge_aggregate(s)" -> "sketch_merge_agg(s)",
    "approx_percentile_combine(s)" -> "sketch_merge_agg(s)",
    "p99(x)" -> "approx_quantile(x, 0.99)",
    "P999(x)" -> "approx_quantile(x, 0.999)",
    "sketch_average(s)" -> "sketch_mean(s)",
    "sketch_info(s)" -> "sketch_describe(s)",
    "approx_percentile_agg(x)" -> "quantile_sketch_agg(x)",
    "approx_percentile_accumulate(x)" -> "quantile_sketch_agg(x)",
    "tdigest_agg(x, 100)" -> "quantile_sketch_agg(x)",
    "tdigest(100, x)" -> "quantile_sketch_agg(x)",
    "uddsketch(200, 0.01, x)" -> "ddsketch_agg(x)",
    "quantile_agg(x)" -> "quantile_sketch_agg(x)",
    "quantile_sketch(x)" -> "quantile_sketch_agg(x)",
    "approx_quantiles(x, 4)" -> "approx_quantile(x, array(0, 0.25, 0.5, 0.75, 1))",
    "approx_quantiles(x, 100)" -> "approx_quantile(x, array(0.5, 0.9, 0.99))",
    "approx_quantile_ds(x, 0.5, 128)" -> "approx_quantile(x, 0.5)",
    "approx_p95(x + 1)" -> "approx_quantile(x + 1, 0.95)",
    "approx_median(x)" -> "approx_quantile(x, 0.5)",
    "quantile_cont(x, 0.5)" -> "approx_quantile(x, 0.5, interpolation => 'linear')",
    "dd_sketch_agg(x)" -> "ddsketch_agg(x)",
    "approx_quantile_bound(x, 0.5)" -> "approx_quantile_bounds(x, 0.5)"
  )

  guesses.foreach { case (guess, fix) =>
    test(s"$guess: write $fix, which runs") {
      val e = unknown(over(guess))
      assertEquals(e.getMessageParameters.get("fix"), fix)
      assertEquals(e.getMessageParameters.get("function"), guess.takeWhile(_ != '('))
      assert(sql(over(fix)).collect().nonEmpty, fix)
      assert(e.getMessage.contains(s"Write $fix. ${fix.takeWhile(_ != '(')} "), e.getMessage)
      assert(!e.getMessage.contains("<"), e.getMessage)
    }
  }

  test("the message says what the function does") {
    assertEquals(
      unknown(over("sketch_percentile(s, 0.5)")).getMessage.takeWhile(_ != '\n').split(" SQLSTATE")(0),
      "[CHRONOSKETCH_UNKNOWN_FUNCTION] There is no function sketch_percentile. Write sketch_quantile(s, 0.5). sketch_quantile " +
        FunctionTable.all.find(_.name == "sketch_quantile").get.summary.updated(0, 'r')
    )
  }

  test("where the arguments do not fit, the fix is a query that runs") {
    Seq(
      "sketch_percentile(s)",
      "sketch_percentile(s, 0.5, 'bigint', 'linear', 1)",
      "quantile_over_time(0.5)"
    ).foreach { call =>
      val fix = unknown(over(call)).getMessageParameters.get("fix")
      assert(fix.startsWith("SELECT "), fix)
      assertEquals(sql(fix).collect().length, 1)
    }
  }

  test("an unknown table function") {
    val call =
      "(TABLE(guessed), event_time => 't', size => '1 minute', slide => '30 seconds', aggs => array('count(*) AS n'))"
    Seq("hopping_window", "hopping_windows", "chronosketch_hopping_agg", "hoping", "Hoppping").foreach {
      name =>
        val fix = unknown(s"SELECT * FROM $name$call").getMessageParameters.get("fix")
        assertEquals(fix, s"hopping$call")
        assert(sql(s"SELECT * FROM $fix").collect().nonEmpty)
    }
    val example = unknown(
      "SELECT * FROM hop(TABLE(guessed), 't', '30 seconds', '1 minute')"
    ).getMessageParameters.get("fix")
    assert(sql(example).collect().nonEmpty, example)
  }

  test("in subqueries, CTEs, clauses and data frames") {
    frame
    Seq(
      "SELECT * FROM (SELECT sketch_percentile(s, 0.5) AS q FROM guessed_sketches)",
      "WITH a AS (SELECT sketch_percentile(s, 0.5) AS q FROM guessed_sketches) SELECT * FROM a",
      "SELECT 1 WHERE (SELECT max(sketch_percentile(s, 0.5)) FROM guessed_sketches) > 1",
      "SELECT k FROM guessed_sketches WHERE sketch_percentile(s, 0.5) > 1",
      "SELECT k FROM guessed_sketches ORDER BY sketch_percentile(s, 0.5)",
      "SELECT coalesce(round(sketch_percentile(s, 0.5)), 0) FROM guessed_sketches",
      "CREATE OR REPLACE TEMP VIEW guessed_view AS SELECT sketch_percentile(s, 0.5) AS q FROM guessed_sketches"
    ).foreach { query =>
      assertEquals(unknown(query).getMessageParameters.get("fix"), "sketch_quantile(s, 0.5)", query)
    }
    val e = intercept[AnalysisException](
      spark.table("guessed_sketches").select(call_function("sketch_percentile", col("s"), lit(0.5)))
    )
    assertEquals(e.getMessageParameters.get("fix"), "sketch_quantile(s, 0.5)")
  }

  test("other names get Spark's own error") {
    frame
    Seq(
      "p9(x)",
      "p99_latency(x)",
      "parsing(x)",
      "percentil(x, 0.5)",
      "approx_count(x)",
      "approx_top(x)",
      "tumble(t)",
      "my_function(x)",
      "sum_of(x)",
      "hll_sketch_merge(x)",
      "kll_sketch_agg_float16(x)",
      "sketchy(x)",
      "db.sketch_percentile(x)",
      "x(x)",
      "`` (x)",
      "`sketch percentile`(x)"
    ).foreach { call =>
      val e = intercept[AnalysisException](sql(s"SELECT $call FROM guessed").collect())
      assert(!e.getCondition.startsWith("CHRONOSKETCH"), e.getMessage)
    }
    val e = intercept[AnalysisException](sql("SELECT * FROM tumbling(1)").collect())
    assert(!e.getCondition.startsWith("CHRONOSKETCH"), e.getMessage)
  }

  test("a user's function with such a name answers: temporary, persistent, in a view of another database") {
    frame
    spark.udf.register("sketch_percentile", (x: Long) => x + 1)
    try assertEquals(one("SELECT sketch_percentile(41)"), 42L)
    finally sql("DROP TEMPORARY FUNCTION sketch_percentile")
    sql("CREATE DATABASE guesses")
    try {
      sql("CREATE FUNCTION guesses.sketch_p99(x INT) RETURNS INT RETURN x + 40")
      assertEquals(one("SELECT guesses.sketch_p99(2)"), 42)
      sql("USE guesses")
      assertEquals(one("SELECT sketch_p99(2)"), 42)
      sql("CREATE VIEW answers AS SELECT sketch_p99(2) AS a")
      sql("CREATE FUNCTION outer_one(x INT) RETURNS INT RETURN sketch_p99(x)")
      sql("CREATE FUNCTION neutral(x INT) RETURNS INT RETURN x + 40")
      sql("CREATE FUNCTION outer_neutral(x INT) RETURNS INT RETURN neutral(x)")
      sql("USE default")
      assertEquals(one("SELECT a FROM guesses.answers"), 42)
      // in the body of a SQL function a name means what it means without us
      def answer(call: String) = scala.util.Try[Any](one(s"SELECT guesses.$call"))
        .recover { case e: AnalysisException => e.getCondition }.get
      assertEquals(answer("outer_one(2)"), answer("outer_neutral(2)"))
      unknown("SELECT sketch_p99(s) FROM guessed_sketches")
    } finally {
      sql("USE default")
      sql("DROP DATABASE guesses CASCADE")
    }
  }

  test("every guess of other systems names a function that exists") {
    val ours = (FunctionTable.all ++ FunctionTable.tables).map(_.name).toSet
    NearestFunction.Elsewhere.foreach { case (name, guess) =>
      assert(ours(guess.function), name)
      assert(!ours(name), name)
    }
  }
}
