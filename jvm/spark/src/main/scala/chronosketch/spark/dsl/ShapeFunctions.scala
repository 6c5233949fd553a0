package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

import chronosketch.spark.table.Defaults

/** Questions to a sketch about how its values are spread. */
trait ShapeFunctions {

  /** Returns bins that each hold about the same number of a sketch's values, with their counts.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_histogram(col("s"), 2, "int")("upper"), sketch_histogram(col("s"), 2)("count")).head()
    * // [ArraySeq(50, 100),ArraySeq(50, 50)]
    * }}}
    */
  def sketch_histogram(sketch: Column, bins: Int = Defaults.Bins, typeName: String = Defaults.Type): Column =
    Call("sketch_histogram", sketch, lit(bins), lit(typeName))

  /** Returns what a box plot shows: minimum, lower whisker, quartiles, upper whisker and maximum.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_box(col("s"))("median")("value"), sketch_box(col("s"), "int")("upper_whisker")("value")).head()
    * // [50.0,100]
    * }}}
    */
  def sketch_box(sketch: Column, typeName: String = Defaults.Type): Column =
    Call("sketch_box", sketch, lit(typeName))

  /** Returns the mean of a sketch's values between two quantiles, plus a lower and an upper bound of it.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_trimmed_mean(col("s"), 0.05, 0.95)).head()
    * // [[50.5,50.5,50.5]]
    * }}}
    */
  def sketch_trimmed_mean(
      sketch: Column,
      lower: Double = Defaults.TrimLower,
      upper: Double = Defaults.TrimUpper
  ): Column = Call("sketch_trimmed_mean", sketch, lit(lower), lit(upper))
}
