package chronosketch.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.{call_function, lit, map}

/** The functions of SQL for Scala: `import chronosketch.spark.functions._`.
  *
  * {{{
  * df.groupBy("host").agg(approx_quantile(col("latency"), 0.99).as("p99"))
  * }}}
  *
  * A phi or a list of them may be given as numbers; where a column is wanted, every function has a form that takes one.
  * Tuning arguments that SQL has defaults for have them here.
  */
object functions {
  private val Epsilon = lit(1e-4)
  private val SketchEpsilon = lit(1e-3)
  private val WindowEpsilon = lit(0.01)
  private val DDSketchAlpha = lit(0.01)
  private val NotGiven = lit(null)
  private val AsDouble = "double"

  private def call(name: String, arguments: Column*): Column =
    call_function(if (name.startsWith(SqlFunction.Prefix)) name else SqlFunction.Prefix + name, arguments: _*)

  def approx_quantile(value: Column, phi: Column, epsilon: Column, frequency: Column): Column =
    call("approx_quantile", value, phi, epsilon, frequency)
  def approx_quantile(value: Column, phi: Double): Column =
    approx_quantile(value, lit(phi), Epsilon, NotGiven)
  def approx_quantile(value: Column, phi: Double, epsilon: Double): Column =
    approx_quantile(value, lit(phi), lit(epsilon), NotGiven)
  def approx_quantile(value: Column, phis: Seq[Double]): Column =
    approx_quantile(value, lit(phis.toArray), Epsilon, NotGiven)
  def approx_quantile(value: Column, phis: Seq[Double], epsilon: Double): Column =
    approx_quantile(value, lit(phis.toArray), lit(epsilon), NotGiven)

  def approx_quantile_bounds(value: Column, phi: Column, epsilon: Column, frequency: Column): Column =
    call("approx_quantile_bounds", value, phi, epsilon, frequency)
  def approx_quantile_bounds(value: Column, phi: Double): Column =
    approx_quantile_bounds(value, lit(phi), Epsilon, NotGiven)
  def approx_quantile_bounds(value: Column, phi: Double, epsilon: Double): Column =
    approx_quantile_bounds(value, lit(phi), lit(epsilon), NotGiven)
  def approx_quantile_bounds(value: Column, phis: Seq[Double]): Column =
    approx_quantile_bounds(value, lit(phis.toArray), Epsilon, NotGiven)
  def approx_quantile_bounds(value: Column, phis: Seq[Double], epsilon: Double): Column =
    approx_quantile_bounds(value, lit(phis.toArray), lit(epsilon), NotGiven)

  def quantile_sketch_agg(value: Column, epsilon: Column, frequency: Column): Column =
    call("quantile_sketch_agg", value, epsilon, frequency)
  def quantile_sketch_agg(value: Column): Column = quantile_sketch_agg(value, SketchEpsilon, NotGiven)
  def quantile_sketch_agg(value: Column, epsilon: Double): Column =
    quantile_sketch_agg(value, lit(epsilon), NotGiven)

  /** `window` is one of [[within_last]], [[among_last]] and conditions, put together with && and ||. */
  def approx_window_quantile(
      value: Column,
      eventTime: Column,
      phi: Column,
      window: Column,
      epsilon: Column,
      asOf: Column
  ): Column = call("approx_window_quantile", value, eventTime, phi, window, epsilon, asOf)
  def approx_window_quantile(value: Column, eventTime: Column, phi: Double, window: Column): Column =
    approx_window_quantile(value, eventTime, lit(phi), window, WindowEpsilon, NotGiven)
  def approx_window_quantile(value: Column, eventTime: Column, phi: Double, window: String): Column =
    approx_window_quantile(value, eventTime, phi, lit(window))
  def approx_window_quantile(value: Column, eventTime: Column, phis: Seq[Double], window: Column): Column =
    approx_window_quantile(value, eventTime, lit(phis.toArray), window, WindowEpsilon, NotGiven)
  def approx_window_quantile(value: Column, eventTime: Column, phis: Seq[Double], window: String): Column =
    approx_window_quantile(value, eventTime, phis, lit(window))

  def within_last(interval: Column): Column = call("within_last", interval)
  def within_last(interval: String): Column = within_last(lit(interval))
  def within_last(units: Long): Column = within_last(lit(units))
  def among_last(n: Column): Column = call("among_last", n)
  def among_last(n: Long): Column = among_last(lit(n))
  def passing(filter: Column): Column = call("passing", filter)
  def passing(filter: String): Column = passing(lit(filter))

  def window_sketch_agg(
      value: Column,
      eventTime: Column,
      epsilon: Column,
      retention: Column,
      filters: Column
  ): Column = call("window_sketch_agg", value, eventTime, epsilon, retention, filters)
  def window_sketch_agg(value: Column, eventTime: Column): Column =
    window_sketch_agg(value, eventTime, WindowEpsilon, NotGiven, NotGiven)
  def window_sketch_agg(value: Column, eventTime: Column, epsilon: Double): Column =
    window_sketch_agg(value, eventTime, lit(epsilon), NotGiven, NotGiven)
  def window_sketch_agg(value: Column, eventTime: Column, filters: Map[String, Column]): Column =
    window_sketch_agg(value, eventTime, WindowEpsilon, NotGiven, named(filters))

  private def named(filters: Map[String, Column]): Column =
    map(filters.toSeq.flatMap { case (name, condition) => Seq(lit(name), condition) }: _*)

  def qlove_sketch_agg(
      value: Column,
      eventTime: Column,
      phis: Column,
      panes: Column,
      budget: Column
  ): Column = call("qlove_sketch_agg", value, eventTime, phis, panes, budget)
  def qlove_sketch_agg(value: Column, eventTime: Column, phis: Seq[Double], panes: Int): Column =
    qlove_sketch_agg(value, eventTime, lit(phis.toArray), lit(panes), NotGiven)
  def qlove_sketch_agg(
      value: Column,
      eventTime: Column,
      phis: Seq[Double],
      panes: Int,
      budget: Int
  ): Column = qlove_sketch_agg(value, eventTime, lit(phis.toArray), lit(panes), lit(budget))

  def ddsketch_agg(value: Column, alpha: Column, frequency: Column): Column =
    call("ddsketch_agg", value, alpha, frequency)
  def ddsketch_agg(value: Column): Column = ddsketch_agg(value, DDSketchAlpha, NotGiven)
  def ddsketch_agg(value: Column, alpha: Double): Column = ddsketch_agg(value, lit(alpha), NotGiven)

  def sketch_merge_agg(sketch: Column): Column = call("sketch_merge_agg", sketch)
  def sketch_merge(left: Column, right: Column): Column = call("sketch_merge", left, right)

  def sketch_window(sketch: Column, window: Column, asOf: Column): Column =
    call("sketch_window", sketch, window, asOf)
  def sketch_window(sketch: Column, window: Column): Column = sketch_window(sketch, window, NotGiven)
  def sketch_window(sketch: Column, window: String): Column = sketch_window(sketch, lit(window))

  def sketch_quantile(sketch: Column, phi: Column, typeName: String): Column =
    call("sketch_quantile", sketch, phi, lit(typeName))
  def sketch_quantile(sketch: Column, phi: Double): Column = sketch_quantile(sketch, lit(phi), AsDouble)
  def sketch_quantile(sketch: Column, phi: Double, typeName: String): Column =
    sketch_quantile(sketch, lit(phi), typeName)
  def sketch_quantile(sketch: Column, phis: Seq[Double]): Column =
    sketch_quantile(sketch, lit(phis.toArray), AsDouble)
  def sketch_quantile(sketch: Column, phis: Seq[Double], typeName: String): Column =
    sketch_quantile(sketch, lit(phis.toArray), typeName)

  def sketch_quantile_bounds(sketch: Column, phi: Column, typeName: String): Column =
    call("sketch_quantile_bounds", sketch, phi, lit(typeName))
  def sketch_quantile_bounds(sketch: Column, phi: Double): Column =
    sketch_quantile_bounds(sketch, lit(phi), AsDouble)
  def sketch_quantile_bounds(sketch: Column, phi: Double, typeName: String): Column =
    sketch_quantile_bounds(sketch, lit(phi), typeName)
  def sketch_quantile_bounds(sketch: Column, phis: Seq[Double]): Column =
    sketch_quantile_bounds(sketch, lit(phis.toArray), AsDouble)
  def sketch_quantile_bounds(sketch: Column, phis: Seq[Double], typeName: String): Column =
    sketch_quantile_bounds(sketch, lit(phis.toArray), typeName)

  def sketch_rank(sketch: Column, value: Column): Column = call("sketch_rank", sketch, value)
  def sketch_rank_bounds(sketch: Column, value: Column): Column = call("sketch_rank_bounds", sketch, value)
  def sketch_cdf(sketch: Column, points: Column): Column = call("sketch_cdf", sketch, points)
  def sketch_cdf(sketch: Column, points: Seq[Double]): Column = sketch_cdf(sketch, lit(points.toArray))
  def sketch_pmf(sketch: Column, points: Column): Column = call("sketch_pmf", sketch, points)
  def sketch_pmf(sketch: Column, points: Seq[Double]): Column = sketch_pmf(sketch, lit(points.toArray))

  def sketch_count(sketch: Column): Column = call("sketch_count", sketch)
  def sketch_count_bounds(sketch: Column): Column = call("sketch_count_bounds", sketch)
  def sketch_min(sketch: Column, typeName: String = AsDouble): Column =
    call("sketch_min", sketch, lit(typeName))
  def sketch_max(sketch: Column, typeName: String = AsDouble): Column =
    call("sketch_max", sketch, lit(typeName))
  def sketch_rank_error(sketch: Column): Column = call("sketch_rank_error", sketch)
  def sketch_describe(sketch: Column): Column = call("sketch_describe", sketch)
  def is_sketch(binary: Column): Column = call("is_sketch", binary)
  def chronosketch_version(): Column = call("chronosketch_version")
}
