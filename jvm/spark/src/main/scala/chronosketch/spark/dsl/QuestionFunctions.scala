package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

import chronosketch.spark.table.Defaults

/** Questions to a sketch, and functions that describe it. */
trait QuestionFunctions {

  /** Merges two sketches into one sketch of all their values.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_count(sketch_merge(col("s"), col("s")))).head()
    * // [200]
    * }}}
    */
  def sketch_merge(left: Column, right: Column): Column = Call("sketch_merge", left, right)

  /** Merges two sketches, either of which may be NULL, into one sketch of all their values.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_count(sketch_merge_or(col("s"), lit(null)))).head()
    * // [100]
    * }}}
    */
  def sketch_merge_or(left: Column, right: Column): Column = Call("sketch_merge_or", left, right)

  /** Returns the sketch with its values cast to another type.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_max(sketch_cast(col("s"), "decimal(10, 2)"), "decimal(10, 2)")).head()
    * // [100.00]
    * }}}
    */
  def sketch_cast(sketch: Column, typeName: String): Column = Call("sketch_cast", sketch, lit(typeName))

  /** Returns the phi-quantile of a sketch's values.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_quantile(col("s"), 0.99), sketch_quantile(col("s"), Seq(0.25, 0.75), "int")).head()
    * // [99.0,ArraySeq(25, 75)]
    * }}}
    */
  def sketch_quantile(
      sketch: Column,
      phi: PhiArgument,
      typeName: String = Defaults.Type,
      interpolation: String = Defaults.Interpolation
  ): Column = Call("sketch_quantile", sketch, phi.column, lit(typeName), lit(interpolation))

  /** Returns a lower and an upper bound of the exact phi-quantile of a sketch's values.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_quantile_bounds(col("s"), 0.99)).head()
    * // [[99.0,99.0]]
    * }}}
    */
  def sketch_quantile_bounds(
      sketch: Column,
      phi: PhiArgument,
      typeName: String = Defaults.Type,
      interpolation: String = Defaults.Interpolation
  ): Column = Call("sketch_quantile_bounds", sketch, phi.column, lit(typeName), lit(interpolation))

  /** Returns how many of a sketch's values are at or below a value.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_rank(col("s"), lit(42.5))).head()
    * // [42]
    * }}}
    */
  def sketch_rank(sketch: Column, value: Column): Column = Call("sketch_rank", sketch, value)

  /** Returns a lower and an upper bound of how many of a sketch's values are at or below a value.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_rank_bounds(col("s"), lit(42))).head()
    * // [[42,42]]
    * }}}
    */
  def sketch_rank_bounds(sketch: Column, value: Column): Column = Call("sketch_rank_bounds", sketch, value)

  /** Returns the shares of a sketch's values that are at or below each point.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_cdf(col("s"), Seq(10.0, 50.0))).head()
    * // [ArraySeq(0.1, 0.5)]
    * }}}
    */
  def sketch_cdf(sketch: Column, points: Seq[Double]): Column = sketch_cdf(sketch, lit(points.toArray))

  /** Returns the shares of a sketch's values that are at or below each point. */
  def sketch_cdf(sketch: Column, points: Column): Column = Call("sketch_cdf", sketch, points)

  /** Returns the shares of a sketch's values that are at or below each point, with their bounds.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_cdf_bounds(col("s"), Seq(10.0, 50.0))).head()
    * // [ArraySeq([0.1,0.1,0.1], [0.5,0.5,0.5])]
    * }}}
    */
  def sketch_cdf_bounds(sketch: Column, points: Seq[Double]): Column =
    sketch_cdf_bounds(sketch, lit(points.toArray))

  /** Returns the shares of a sketch's values that are at or below each point, with their bounds. */
  def sketch_cdf_bounds(sketch: Column, points: Column): Column = Call("sketch_cdf_bounds", sketch, points)

  /** Returns the shares of a sketch's values that lie between the points.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_pmf(col("s"), Seq(10.0, 50.0))).head()
    * // [ArraySeq(0.1, 0.4, 0.5)]
    * }}}
    */
  def sketch_pmf(sketch: Column, points: Seq[Double]): Column = sketch_pmf(sketch, lit(points.toArray))

  /** Returns the shares of a sketch's values that lie between the points. */
  def sketch_pmf(sketch: Column, points: Column): Column = Call("sketch_pmf", sketch, points)

  /** Returns how many values a sketch has seen.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_count(col("s"))).head()
    * // [100]
    * }}}
    */
  def sketch_count(sketch: Column): Column = Call("sketch_count", sketch)

  /** Returns a lower and an upper bound of how many values a sketch has seen.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_count_bounds(col("s"))).head()
    * // [[100,100]]
    * }}}
    */
  def sketch_count_bounds(sketch: Column): Column = Call("sketch_count_bounds", sketch)

  /** Returns the smallest value of a sketch.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_min(col("s")), sketch_min(col("s"), "int")).head()
    * // [1.0,1]
    * }}}
    */
  def sketch_min(sketch: Column, typeName: String = Defaults.Type): Column =
    Call("sketch_min", sketch, lit(typeName))

  /** Returns the greatest value of a sketch.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_max(col("s")), sketch_max(col("s"), "int")).head()
    * // [100.0,100]
    * }}}
    */
  def sketch_max(sketch: Column, typeName: String = Defaults.Type): Column =
    Call("sketch_max", sketch, lit(typeName))

  /** Returns the certified rank error of a sketch, as a share of its count.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_rank_error(col("s"))).head()
    * // [0.0]
    * }}}
    */
  def sketch_rank_error(sketch: Column): Column = Call("sketch_rank_error", sketch)

  /** Returns what a sketch is: family, format, value type, parameters, count, bytes and error.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_describe(col("s"))("value_type")).head()
    * // [BIGINT]
    * }}}
    */
  def sketch_describe(sketch: Column): Column = Call("sketch_describe", sketch)

  /** Returns whether a BINARY is a whole sketch that this version reads.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(is_sketch(col("s")), is_sketch(lit("no".getBytes))).head()
    * // [true,false]
    * }}}
    */
  def is_sketch(binary: Column): Column = Call("is_sketch", binary)

  /** Returns the version of the chronosketch jar that answers.
    *
    * {{{
    * spark.range(1).select(chronosketch_version() === chronosketch.Version.value).head()
    * // [true]
    * }}}
    */
  def chronosketch_version(): Column = Call("chronosketch_version")

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
