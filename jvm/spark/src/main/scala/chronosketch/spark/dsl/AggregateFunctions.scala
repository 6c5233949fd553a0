package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.{lit, map}

import chronosketch.spark.dsl.Call.notGiven
import chronosketch.spark.table.Defaults

/** Aggregates that return an answer, and aggregates that build and merge sketches. */
trait AggregateFunctions {

  /** Returns the phi-quantile of the values, wrong by at most epsilon * count ranks.
    *
    * {{{
    * spark.range(1, 101).select(approx_quantile(col("id"), Seq(0.5, 0.99), frequency = col("id") % 2)).head()
    * // [ArraySeq(49, 99)]
    * spark.range(1, 101).select(approx_quantile(col("id"), 0.5, interpolation = "linear")).head()
    * // [50.5]
    * }}}
    */
  def approx_quantile(
      value: Column,
      phi: PhiArgument,
      epsilon: Double = Defaults.AnswerEpsilon,
      frequency: Column = notGiven,
      interpolation: String = Defaults.Interpolation,
      tail: String = Defaults.NoTail
  ): Column =
    Call("approx_quantile", value, phi.column, lit(epsilon), frequency, lit(interpolation), lit(tail))

  /** Returns the phi-quantile of the values, wrong by at most epsilon * count ranks. */
  def approx_quantile(value: Column, phi: Column, epsilon: Column, frequency: Column): Column =
    Call("approx_quantile", value, phi, epsilon, frequency)

  /** Returns a lower and an upper bound that always contain the exact phi-quantile.
    *
    * {{{
    * spark.range(1, 101).select(approx_quantile_bounds(col("id"), 0.99, epsilon = 0.001)).head()
    * // [[99,99]]
    * }}}
    */
  def approx_quantile_bounds(
      value: Column,
      phi: PhiArgument,
      epsilon: Double = Defaults.AnswerEpsilon,
      frequency: Column = notGiven,
      interpolation: String = Defaults.Interpolation,
      tail: String = Defaults.NoTail
  ): Column =
    Call("approx_quantile_bounds", value, phi.column, lit(epsilon), frequency, lit(interpolation), lit(tail))

  /** Returns a lower and an upper bound that always contain the exact phi-quantile. */
  def approx_quantile_bounds(value: Column, phi: Column, epsilon: Column, frequency: Column): Column =
    Call("approx_quantile_bounds", value, phi, epsilon, frequency)

  /** Returns the phi-quantile of the rows in a window that ends at the newest row, or at as_of.
    *
    * {{{
    * val window = within_last(10) && col("id") % 5 === 0 || among_last(1)
    * spark.range(1, 101).select(approx_window_quantile(col("id"), col("id"), 0, window, asOf = lit(52L))).head()
    * // [45]
    * }}}
    */
  def approx_window_quantile(
      value: Column,
      eventTime: Column,
      phi: PhiArgument,
      window: SpanArgument,
      epsilon: Double = Defaults.WindowEpsilon,
      asOf: Column = notGiven
  ): Column = approx_window_quantile(value, eventTime, phi.column, window.column, lit(epsilon), asOf)

  /** Returns the phi-quantile of the rows in a window that ends at the newest row, or at as_of. */
  def approx_window_quantile(
      value: Column,
      eventTime: Column,
      phi: Column,
      window: Column,
      epsilon: Column,
      asOf: Column
  ): Column = Call("approx_window_quantile", value, eventTime, phi, window, epsilon, asOf)

  /** Builds a sketch that answers any quantile and rank, with a certified rank error.
    *
    * {{{
    * val s = quantile_sketch_agg(col("id"), epsilon = 0.01, frequency = lit(3))
    * spark.range(1, 101).select(sketch_count(s), sketch_quantile(s, 0.5, "bigint")).head()
    * // [300,50]
    * val tail = quantile_sketch_agg(col("id"), epsilon = 0.01, tail = "high")
    * spark.range(1, 1000001).select(sketch_quantile_bounds(tail, 0.9999, "bigint").getField("high") < 999903).head()
    * // [true]
    * val both = quantile_sketch_agg(col("id"), sum = true)
    * spark.range(1, 101).select(sketch_mean(both), sketch_quantile(both, 0.99)).head()
    * // [50.5,99.0]
    * }}}
    */
  def quantile_sketch_agg(
      value: Column,
      epsilon: Double = Defaults.SketchEpsilon,
      frequency: Column = notGiven,
      tail: String = Defaults.NoTail,
      sum: Boolean = Defaults.Sum
  ): Column = Call("quantile_sketch_agg", value, lit(epsilon), frequency, lit(tail), lit(sum))

  /** Builds a sketch that answers any quantile and rank, with a certified rank error. */
  def quantile_sketch_agg(value: Column, epsilon: Column, frequency: Column): Column =
    Call("quantile_sketch_agg", value, epsilon, frequency)

  /** Builds a sketch that answers for any window back from the newest row.
    *
    * {{{
    * val s = window_sketch_agg(col("id"), col("id"), retention = 50, filters = Map("even" -> (col("id") % 2 === 0)))
    * spark.range(1, 101).select(sketch_quantile(sketch_window(s, passing("even") && within_last(10)), 0.5)).head()
    * // [96.0]
    * }}}
    */
  def window_sketch_agg(
      value: Column,
      eventTime: Column,
      epsilon: Double = Defaults.WindowEpsilon,
      retention: SpanArgument = notGiven,
      filters: Map[String, Column] = Map.empty
  ): Column = window_sketch_agg(value, eventTime, lit(epsilon), retention.column, named(filters))

  /** Builds a sketch that answers for any window back from the newest row. */
  def window_sketch_agg(value: Column, eventTime: Column, filters: Map[String, Column]): Column =
    window_sketch_agg(value, eventTime, Defaults.WindowEpsilon, notGiven, filters)

  /** Builds a sketch that answers for any window back from the newest row. */
  def window_sketch_agg(
      value: Column,
      eventTime: Column,
      epsilon: Column,
      retention: Column,
      filters: Column
  ): Column = Call("window_sketch_agg", value, eventTime, epsilon, retention, filters)

  /** Builds a sketch of the count, sum, mean and variance of any window back from the newest row.
    *
    * {{{
    * val s = window_moments_agg(col("id"), col("id"), epsilon = 0.05, retention = 50)
    * spark.range(1, 101).select(sketch_mean(sketch_window(s, within_last(10)))).head()
    * // [95.5]
    * }}}
    */
  def window_moments_agg(
      value: Column,
      eventTime: Column,
      epsilon: Double = Defaults.WindowMomentsEpsilon,
      retention: SpanArgument = notGiven,
      filters: Map[String, Column] = Map.empty
  ): Column = window_moments_agg(value, eventTime, lit(epsilon), retention.column, named(filters))

  /** Builds a sketch of the count, sum, mean and variance of any window back from the newest row. */
  def window_moments_agg(value: Column, eventTime: Column, filters: Map[String, Column]): Column =
    window_moments_agg(value, eventTime, Defaults.WindowMomentsEpsilon, notGiven, filters)

  /** Builds a sketch of the count, sum, mean and variance of any window back from the newest row. */
  def window_moments_agg(
      value: Column,
      eventTime: Column,
      epsilon: Column,
      retention: Column,
      filters: Column
  ): Column = Call("window_moments_agg", value, eventTime, epsilon, retention, filters)

  private def named(filters: Map[String, Column]): Column =
    if (filters.isEmpty) notGiven
    else map(filters.toSeq.flatMap { case (name, condition) => Seq(lit(name), condition) }: _*)

  /** Builds the sketch of one pane of a window, for the phis that you name.
    *
    * {{{
    * val panes = spark.range(1, 101).groupBy(expr("(id - 1) div 25")).agg(qlove_sketch_agg(col("id"), col("id"), 0.5, 4).as("s"))
    * panes.select(sketch_quantile(sketch_merge_agg(col("s")), 0.5)).head()
    * // [50.5]
    * }}}
    */
  def qlove_sketch_agg(value: Column, eventTime: Column, phis: PhiArgument, panes: Int): Column =
    qlove_sketch_agg(value, eventTime, phis.column, lit(panes), notGiven)

  /** Builds the sketch of one pane of a window, for the phis that you name. */
  def qlove_sketch_agg(value: Column, eventTime: Column, phis: PhiArgument, panes: Int, budget: Int): Column =
    qlove_sketch_agg(value, eventTime, phis.column, lit(panes), lit(budget))

  /** Builds the sketch of one pane of a window, for the phis that you name. */
  def qlove_sketch_agg(
      value: Column,
      eventTime: Column,
      phis: Column,
      panes: Column,
      budget: Column
  ): Column = Call("qlove_sketch_agg", value, eventTime, phis, panes, budget)

  /** Builds a DDSketch of numbers: each quantile has a relative error of at most alpha.
    *
    * {{{
    * val s = ddsketch_agg(col("id"), alpha = 0.02, frequency = lit(2))
    * spark.range(1, 1001).select(sketch_count(s), sketch_quantile(s, 0.99).between(990 * 0.98, 990 * 1.02)).head()
    * // [2000,true]
    * }}}
    */
  def ddsketch_agg(value: Column, alpha: Double = Defaults.Alpha, frequency: Column = notGiven): Column =
    ddsketch_agg(value, lit(alpha), frequency)

  /** Builds a DDSketch of numbers: each quantile has a relative error of at most alpha. */
  def ddsketch_agg(value: Column, alpha: Column, frequency: Column): Column =
    Call("ddsketch_agg", value, alpha, frequency)

  /** Returns the n smallest values, in ascending order.
    *
    * {{{
    * spark.range(1, 101).select(n_least(col("id"), 3)).head()
    * // [ArraySeq(1, 2, 3)]
    * }}}
    */
  def n_least(value: Column, n: Int): Column = Call("n_least", value, lit(n))

  /** Returns the n greatest values, in descending order.
    *
    * {{{
    * spark.range(1, 101).select(n_greatest(col("id"), 3)).head()
    * // [ArraySeq(100, 99, 98)]
    * }}}
    */
  def n_greatest(value: Column, n: Int): Column = Call("n_greatest", value, lit(n))

  /** Merges the sketches of a group into one sketch of all their values.
    *
    * {{{
    * val days = spark.range(1, 101).groupBy(col("id") % 7).agg(quantile_sketch_agg(col("id")).as("s"))
    * days.select(sketch_quantile(sketch_merge_agg(col("s")), 0.5)).head()
    * // [50.0]
    * }}}
    */
  def sketch_merge_agg(sketch: Column): Column = Call("sketch_merge_agg", sketch)
}
