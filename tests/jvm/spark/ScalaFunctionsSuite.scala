package chronosketch.spark

import java.time.Duration

import org.apache.spark.sql.functions.{col, expr, lit, timestamp_seconds}
import org.apache.spark.sql.{Column, DataFrame, Row}

import chronosketch.spark.functions._

/** Tests the SQL functions from Scala. */
class ScalaFunctionsSuite extends SparkSuite {
  private lazy val hundred = spark.range(1, 101).withColumn("n", col("id") % 2)
  private lazy val sketched = hundred.agg(quantile_sketch_agg(col("id")).as("s"))
  private val phis = Seq(0.07, 0.5)
  private val at = timestamp_seconds(col("id") * 60)
  private val fiftieth = java.time.Instant.ofEpochSecond(50 * 60)

  test("defaults equal those of SQL") {
    // the full SQL: names of columns leave defaults out
    def full(rows: DataFrame): String =
      rows.queryExecution.analyzed.expressions.head.children.head.sql.replaceAll("range\\.", "")
    def column(c: Column): String = full(hundred.select(c))
    assertEquals(
      column(approx_quantile(col("id"), 0.5)),
      full(hundred.selectExpr("approx_quantile(id, 0.5D)"))
    )
    assertEquals(
      column(quantile_sketch_agg(col("id"))),
      full(hundred.selectExpr("quantile_sketch_agg(id)"))
    )
    assertEquals(
      full(sketched.select(sketch_min(col("s")))),
      full(sketched.selectExpr("sketch_min(s)"))
    )
    assertEquals(
      column(window_sketch_agg(col("id"), col("id"))),
      full(hundred.selectExpr("window_sketch_agg(id, id)"))
    )
    assertEquals(
      column(approx_window_quantile(col("id"), col("id"), 0.5, within_last(10))),
      full(hundred.selectExpr("approx_window_quantile(id, id, 0.5D, within_last(10L))"))
    )
  }

  private def bounds(v: Any): Row = Row(v, v)

  private val aggregates: Seq[(String, () => Column, Any)] = Seq(
    ("approx_quantile", () => approx_quantile(col("id"), 0.07), 7L),
    ("approx_quantile", () => approx_quantile(col("id"), 0.07, 0.01), 7L),
    ("approx_quantile", () => approx_quantile(col("id"), phis), Seq(7L, 50L)),
    ("approx_quantile", () => approx_quantile(col("id"), phis, 0.01), Seq(7L, 50L)),
    ("approx_quantile", () => approx_quantile(col("id"), lit(1), lit(0.01), col("n")), 99L),
    ("approx_quantile_bounds", () => approx_quantile_bounds(col("id"), 0.07), bounds(7L)),
    ("approx_quantile_bounds", () => approx_quantile_bounds(col("id"), 0.07, 0.01), bounds(7L)),
    ("approx_quantile_bounds", () => approx_quantile_bounds(col("id"), phis), Seq(bounds(7L), bounds(50L))),
    (
      "approx_quantile_bounds",
      () => approx_quantile_bounds(col("id"), phis, 0.01),
      Seq(bounds(7L), bounds(50L))
    ),
    (
      "approx_quantile_bounds",
      () => approx_quantile_bounds(col("id"), lit(1), lit(0.01), col("n")),
      bounds(99L)
    ),
    ("approx_window_quantile", () => approx_window_quantile(col("id"), at, 0.5, "10 minutes"), 95L),
    (
      "approx_window_quantile",
      () =>
        approx_window_quantile(
          col("id"),
          at,
          phis,
          within_last("10 minutes") && col("n") === 1 || among_last(2)
        ),
      Seq(91L, 95L)
    ),
    (
      "approx_window_quantile",
      () => approx_window_quantile(col("id"), at, phis, "10 minutes"),
      Seq(91L, 95L)
    ),
    ("within_last", () => approx_window_quantile(col("id"), col("id"), 0.5, within_last(10)), 95L),
    (
      "within_last",
      () => approx_window_quantile(col("id"), at, lit(1), within_last(lit("1 hour")), lit(0.1), lit(null)),
      100L
    ),
    ("among_last", () => approx_window_quantile(col("id"), at, 0.0, among_last(7)), 94L),
    (
      "sketch_window",
      () => sketch_count(sketch_window(window_sketch_agg(col("id"), at), "10 minutes")),
      10L
    ),
    (
      "sketch_window",
      () =>
        sketch_max(
          sketch_window(window_sketch_agg(col("id"), col("id"), 0.02), within_last(10), lit(50L)),
          "int"
        ),
      50
    ),
    (
      "passing",
      () =>
        sketch_count(
          sketch_window(
            window_sketch_agg(col("id"), at, Map("odd" -> (col("n") === 1))),
            passing("odd") && within_last("10 minutes")
          )
        ),
      5L
    ),
    (
      "window_sketch_agg",
      () =>
        sketch_describe(window_sketch_agg(
          col("id"),
          at,
          lit(0.1),
          lit("1 hour"),
          lit(null)
        )).getField("retention"),
      "'1 hour'"
    ),
    (
      "qlove_sketch_agg",
      () => sketch_quantile(qlove_sketch_agg(col("id"), at, phis, 8), phis, "int"),
      Seq(7, 50)
    ),
    (
      "qlove_sketch_agg",
      () =>
        sketch_describe(qlove_sketch_agg(
          col("id"),
          at,
          phis,
          8,
          3
        )).getField("parameters").getItem("budget"),
      3.0
    ),
    (
      "qlove_sketch_agg",
      () => sketch_count(qlove_sketch_agg(col("id"), col("id"), lit(0.5), lit(8), lit(null))),
      100L
    ),
    (
      "history_sketch_agg",
      () => sketch_max(sketch_at_version(history_sketch_agg(col("id"), col("id")), lit(50)), "int"),
      50
    ),
    (
      "history_sketch_agg",
      () =>
        sketch_count(
          sketch_at_version(
            history_sketch_agg(col("id"), at, until = at + expr("INTERVAL 5 MINUTES")),
            lit(fiftieth)
          )
        ),
      5L
    ),
    (
      "history_sketch_agg",
      () =>
        sketch_describe(
          history_sketch_agg(col("id"), col("id"), col("n"), lit(0.2), lit(null))
        ).getField("parameters").getItem("epsilon"),
      0.2
    ),
    (
      "sketch_at_version",
      () => sketch_count(sketch_at_version(history_sketch_agg(col("id"), col("id"), col("n")), lit(50L))),
      25L
    ),
    (
      "sketch_versions",
      () => sketch_versions(history_sketch_agg(col("id"), col("id"), epsilon = 0.1)).getField("last"),
      100L
    ),
    (
      "sketch_versions",
      () => sketch_versions(history_sketch_agg(col("id"), at), "timestamp").getField("first"),
      new java.sql.Timestamp(60000L)
    ),
    (
      "approx_quantile_at_version",
      () => approx_quantile_at_version(col("id"), col("id"), col("n"), phis, lit(50L)),
      Seq(3L, 25L)
    ),
    (
      "approx_quantile_at_version",
      () => approx_quantile_at_version(col("id"), col("id"), col("n"), lit(1), lit(50L), lit(0.1)),
      49L
    ),
    ("ddsketch_agg", () => sketch_max(ddsketch_agg(col("id")), "int"), 100),
    (
      "ddsketch_agg",
      () => sketch_describe(ddsketch_agg(col("id"), 0.2)).getField("parameters").getItem("alpha"),
      0.2
    ),
    ("ddsketch_agg", () => sketch_count(ddsketch_agg(col("id"), lit(0.1), lit(3))), 300L),
    ("n_least", () => n_least(col("id"), 2), Seq(1L, 2L)),
    ("n_greatest", () => n_greatest(col("id"), 2), Seq(100L, 99L)),
    ("moments_agg", () => sketch_count(moments_agg(col("id"))), 100L),
    ("moments_agg", () => sketch_count(moments_agg(col("id"), col("n"))), 50L),
    ("comoments_agg", () => sketch_count(comoments_agg(col("id"), col("n"))), 100L),
    ("quantile_design_effect_agg", () => quantile_design_effect_agg(lit(1), lit(2)), 1.0),
    ("sample_sketch_agg", () => sketch_count(sample_sketch_agg(col("id"), size = lit(7), seed = 3)), 100L),
    (
      "sample_sketch_agg",
      () =>
        sketch_describe(sample_sketch_agg(col("id"), lit(7), id = col("id"), delta = 0.1)).getField("kept"),
      7L
    ),
    (
      "window_sample_agg",
      () => sketch_sample(sketch_window(window_sample_agg(col("id"), at, size = 3), "2 minutes"), "int"),
      Seq(99, 100)
    ),
    (
      "window_sample_agg",
      () =>
        sketch_describe(
          window_sample_agg(col("id"), at, lit(7), lit("1 hour"), lit(3), col("id"))
        ).getField("retention"),
      "'1 hour'"
    ),
    (
      "sketch_sample",
      () => sketch_sample(sample_sketch_agg(col("n")), "int"),
      Seq.fill(50)(0) ++ Seq.fill(50)(1)
    ),
    ("sketch_sum", () => sketch_sum(moments_agg(col("id"))), 5050.0),
    ("sketch_mean", () => sketch_mean(moments_agg(col("id"))), 50.5),
    ("sketch_variance", () => sketch_variance(moments_agg(col("n"))), 25.0 / 99),
    ("sketch_variance", () => sketch_variance(moments_agg(col("n")), population = true), 0.25),
    ("sketch_stddev", () => sketch_stddev(moments_agg(col("n")), population = true), 0.5),
    ("sketch_skewness", () => sketch_skewness(moments_agg(col("n"))), 0.0),
    ("sketch_kurtosis", () => sketch_kurtosis(moments_agg(col("n"))), -2.0),
    ("sketch_covar", () => sketch_covar(comoments_agg(col("n"), col("n")), population = true), 0.25),
    ("sketch_corr", () => sketch_corr(comoments_agg(col("id"), col("id") * -2)), -1.0),
    ("sketch_slope", () => sketch_slope(comoments_agg(col("id"), col("id") * -2)), -0.5),
    ("sketch_intercept", () => sketch_intercept(comoments_agg(col("id") + 7, col("id"))), 7.0),
    ("sketch_r2", () => sketch_r2(comoments_agg(col("id") + 7, col("id"))), 1.0),
    ("quantile_sketch_agg", () => sketch_count(quantile_sketch_agg(col("id"))), 100L),
    ("approx_quantile", () => approx_quantile(col("id"), BigDecimal("0.07")), 7L),
    (
      "approx_quantile",
      () => approx_quantile(col("id"), Seq(BigDecimal("0.07"), BigDecimal(1))),
      Seq(7L, 100L)
    ),
    ("approx_quantile", () => approx_quantile(col("id"), Seq(0, 1)), Seq(1L, 100L)),
    ("approx_quantile", () => approx_quantile(col("id"), lit(0.07), frequency = col("n")), 7L),
    (
      "approx_window_quantile",
      () => approx_window_quantile(col("id"), at, 0, Duration.ofMinutes(10), epsilon = 0.1),
      91L
    ),
    (
      "window_sketch_agg",
      () =>
        sketch_describe(window_sketch_agg(col("id"), at, retention = "1 hour")).getField("retention"),
      "'1 hour'"
    ),
    (
      "window_moments_agg",
      () =>
        sketch_describe(window_moments_agg(col("id"), at, retention = "1 hour")).getField("retention"),
      "'1 hour'"
    ),
    (
      "window_moments_agg",
      () =>
        sketch_mean(
          sketch_window(
            window_moments_agg(col("id"), at, Map("odd" -> (col("n") === 1))),
            within_last("10 minutes") && passing("odd")
          )
        ),
      95.0
    ),
    (
      "window_moments_agg",
      () => sketch_sum(window_moments_agg(col("id"), at, lit(0.1), lit("1 day"), lit(null))),
      5050.0
    ),
    (
      "sketch_moment_bounds",
      () => sketch_moment_bounds(moments_agg(col("id")), "sum"),
      Row(5050.0, 5050.0, 5050.0)
    ),
    (
      "sketch_moment_bounds",
      () => sketch_moment_bounds(moments_agg(col("id")), lit("mean")),
      Row(50.5, 50.5, 50.5)
    ),
    (
      "quantile_sketch_agg",
      () => sketch_describe(quantile_sketch_agg(col("id"), 0.01)).getField("parameters").getItem("epsilon"),
      0.01
    ),
    ("quantile_sketch_agg", () => sketch_count(quantile_sketch_agg(col("id"), lit(0.01), col("n"))), 50L)
  )

  private val readers: Seq[(String, () => Column, Any)] = Seq(
    ("sketch_merge_agg", () => sketch_count(sketch_merge_agg(col("s"))), 100L),
    ("sketch_cast", () => sketch_max(sketch_cast(col("s"), "decimal(10,2)"), "int"), 100),
    ("sketch_merge", () => sketch_count(sketch_merge(col("s"), col("s"))), 200L),
    ("sketch_merge_or", () => sketch_count(sketch_merge_or(lit(null), col("s"))), 100L),
    ("sketch_quantile", () => sketch_quantile(col("s"), 0.07), 7.0),
    ("sketch_quantile", () => sketch_quantile(col("s"), 0.07, "int"), 7),
    ("sketch_quantile", () => sketch_quantile(col("s"), phis), Seq(7.0, 50.0)),
    ("sketch_quantile", () => sketch_quantile(col("s"), phis, "bigint"), Seq(7L, 50L)),
    ("sketch_quantile", () => sketch_quantile(col("s"), lit(0.07), "bigint"), 7L),
    ("sketch_quantile_bounds", () => sketch_quantile_bounds(col("s"), 0.07), bounds(7.0)),
    ("sketch_quantile_bounds", () => sketch_quantile_bounds(col("s"), 0.07, "int"), bounds(7)),
    ("sketch_quantile_bounds", () => sketch_quantile_bounds(col("s"), phis), Seq(bounds(7.0), bounds(50.0))),
    (
      "sketch_quantile_bounds",
      () => sketch_quantile_bounds(col("s"), phis, "int"),
      Seq(bounds(7), bounds(50))
    ),
    ("sketch_quantile_bounds", () => sketch_quantile_bounds(col("s"), lit(1), "int"), bounds(100)),
    ("sketch_rank", () => sketch_rank(col("s"), lit(42.5)), 42L),
    ("sketch_rank_bounds", () => sketch_rank_bounds(col("s"), lit(42)), bounds(42L)),
    ("sketch_cdf", () => sketch_cdf(col("s"), Seq(10.0, 50.0)), Seq(0.1, 0.5)),
    (
      "sketch_cdf_bounds",
      () => sketch_cdf_bounds(col("s"), Seq(10.0, 50.0)),
      Seq(Row(0.1, 0.1, 0.1), Row(0.5, 0.5, 0.5))
    ),
    ("sketch_cdf_bounds", () => sketch_cdf_bounds(col("s"), lit(10))("high"), 0.1),
    ("sketch_pmf", () => sketch_pmf(col("s"), Seq(10.0, 50.0)), Seq(0.1, 0.4, 0.5)),
    ("sketch_histogram", () => sketch_histogram(col("s"), 2, "int")("upper"), Seq(50, 100)),
    ("sketch_box", () => sketch_box(col("s"), "int")("q3")("value"), 75),
    ("sketch_trimmed_mean", () => sketch_trimmed_mean(col("s"), 0.05, 0.95)("value"), 50.5),
    ("sketch_quantile", () => sketch_quantile(col("s"), 0.5, interpolation = "linear"), 50.5),
    ("sketch_ks", () => sketch_ks(col("s"), col("s"))("distance"), 0.0),
    ("sketch_ks_p_value", () => sketch_ks_p_value(col("s"), col("s"))("low"), 1.0),
    ("sketch_psi", () => sketch_psi(col("s"), col("s"))("value"), 0.0),
    ("sketch_wasserstein", () => sketch_wasserstein(col("s"), col("s"))("high"), 0.0),
    ("sketch_quantile_interval", () => sketch_quantile_interval(col("s"), 0.5)("low"), 40.0),
    (
      "sketch_quantile_interval",
      () => sketch_quantile_interval(col("s"), 0.5, 0.95, lit(4), "int")("high"),
      72
    ),
    (
      "sketch_quantile_difference",
      () => sketch_quantile_difference(col("s"), col("s"), phis)("p_value"),
      Seq(1.0, 1.0)
    ),
    (
      "sketch_from_histogram",
      () => sketch_count(sketch_from_histogram(lit(Array(1.0)), lit(Array(2, 3)))),
      5L
    ),
    (
      "sketch_from_exponential_histogram",
      () =>
        sketch_count(
          sketch_from_exponential_histogram(
            lit(0),
            lit(1),
            lit(3),
            lit(Array(10, 20)),
            lit(0),
            lit(Array.empty[Int])
          )
        ),
      31L
    ),
    (
      "sketch_from_kll",
      () =>
        sketch_quantile(
          sketch_from_kll(expr("(SELECT kll_sketch_agg_bigint(id) FROM range(1, 4))"), "bigint"),
          0.5
        ),
      2.0
    ),
    (
      "sketch_to_kll",
      () => sketch_count(sketch_from_kll(sketch_to_kll(col("s"), lit(200)), "bigint")),
      100L
    ),
    (
      "sketch_from_ddsketch",
      () =>
        sketch_count(
          sketch_from_ddsketch(expr("(SELECT sketch_to_ddsketch(ddsketch_agg(id)) FROM range(3))"))
        ),
      3L
    ),
    (
      "sketch_to_ddsketch",
      () => sketch_to_ddsketch(expr("(SELECT ddsketch_agg(id) FROM range(3))")).isNotNull,
      true
    ),
    ("sketch_count", () => sketch_count(col("s")), 100L),
    ("sketch_count_bounds", () => sketch_count_bounds(col("s")), bounds(100L)),
    ("sketch_min", () => sketch_min(col("s")), 1.0),
    ("sketch_min", () => sketch_min(col("s"), "int"), 1),
    ("sketch_max", () => sketch_max(col("s"), "int"), 100),
    ("sketch_rank_error", () => sketch_rank_error(col("s")), 0.0),
    ("sketch_describe", () => sketch_describe(col("s")).getField("value_type"), "BIGINT"),
    ("is_sketch", () => is_sketch(col("s")), true),
    ("chronosketch_version", () => chronosketch_version(), chronosketch.Version.value)
  )

  (aggregates.map(a => (a, true)) ++ readers.map(r => (r, false))).zipWithIndex.foreach {
    case (((name, call, answer), of), i) =>
      test(s"$name, ${i + 1}") {
        val rows = (if (of) hundred.select(call()) else sketched.select(call())).collect()
        assertEquals(rows.toSeq, Seq(Row(answer)))
      }
  }

  test("each function is called at least once here") {
    assertEquals((aggregates ++ readers).map(_._1).toSet, FunctionTable.all.map(_.name).toSet)
  }

  test("as a window function, by groups, and if the short name belongs to another function") {
    val over = approx_quantile(col("id"), 0.5).over(org.apache.spark.sql.expressions.Window.orderBy("id"))
    assertEquals(
      hundred.select(over.as("q")).collect().map(_.getLong(0)).toSeq,
      (1L to 100L).map(i => (i + 1) / 2)
    )
    val session = spark.newSession()
    session.udf.register("sketch_count", (_: Array[Byte]) => 42)
    val own = session.range(3).agg(quantile_sketch_agg(col("id")).as("s"))
    assertEquals(own.select(sketch_count(col("s"))).head().getLong(0), 3L)
  }
}
