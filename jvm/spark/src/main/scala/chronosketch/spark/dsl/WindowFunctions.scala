package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

import chronosketch.spark.dsl.Call.notGiven

/** Parts of a window, which you combine with `&&` and `||`, and the function that takes a window from a sketch. */
trait WindowFunctions {

  /** Selects the rows of the last interval of time, up to the newest row.
    *
    * {{{
    * spark.range(1, 101).select(approx_window_quantile(col("id"), col("id"), 0.5, within_last(10))).head()
    * // [95]
    * }}}
    */
  def within_last(interval: SpanArgument): Column = Call("within_last", interval.column)

  /** Selects the newest n rows.
    *
    * {{{
    * spark.range(1, 101).select(approx_window_quantile(col("id"), col("id"), 0.5, among_last(20))).head()
    * // [90]
    * }}}
    */
  def among_last(n: Long): Column = among_last(lit(n))

  /** Selects the newest n rows. */
  def among_last(n: Column): Column = Call("among_last", n)

  /** Selects the rows that pass a filter which the sketch was built with.
    *
    * {{{
    * val s = window_sketch_agg(col("id"), col("id"), Map("even" -> (col("id") % 2 === 0)))
    * spark.range(1, 101).select(sketch_count(sketch_window(s, passing("even")))).head()
    * // [50]
    * }}}
    */
  def passing(filter: String): Column = passing(lit(filter))

  /** Selects the rows that pass a filter which the sketch was built with. */
  def passing(filter: Column): Column = Call("passing", filter)

  /** Returns one window of a window sketch, as a sketch.
    *
    * {{{
    * val s = spark.range(1, 101).agg(window_sketch_agg(col("id"), col("id")).as("s"))
    * s.select(sketch_count(sketch_window(col("s"), 10)), sketch_max(sketch_window(col("s"), 10, lit(50L)))).head()
    * // [10,50.0]
    * }}}
    */
  def sketch_window(sketch: Column, window: SpanArgument, asOf: Column = notGiven): Column =
    Call("sketch_window", sketch, window.column, asOf)
}
