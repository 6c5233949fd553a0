package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

import chronosketch.spark.dsl.Call.notGiven
import chronosketch.spark.table.Defaults

/** Functions that build and ask sketches of moments: sums, means and variances of one column, or how two columns go together. */
trait MomentFunctions {

  /** Builds a sketch of a column's count, sum, mean, variance, skewness and kurtosis.
    *
    * {{{
    * spark.range(1, 101).select(sketch_mean(moments_agg(col("id")))).head()
    * // [50.5]
    * }}}
    */
  def moments_agg(value: Column, frequency: Column = notGiven): Column =
    Call("moments_agg", value, frequency)

  /** Builds a sketch of pairs of numbers: their covariance, correlation and regression.
    *
    * {{{
    * spark.range(1, 101).select(sketch_slope(comoments_agg(col("id") * 2 + 1, col("id")))).head()
    * // [2.0]
    * }}}
    */
  def comoments_agg(y: Column, x: Column): Column = Call("comoments_agg", y, x)

  /** Returns the sum of a sketch's values.
    *
    * {{{
    * spark.range(1, 101).select(sketch_sum(moments_agg(col("id")))).head()
    * // [5050.0]
    * }}}
    */
  def sketch_sum(sketch: Column): Column = Call("sketch_sum", sketch)

  /** Returns the mean of a sketch's values.
    *
    * {{{
    * spark.range(1, 101).select(sketch_mean(moments_agg(col("id")))).head()
    * // [50.5]
    * }}}
    */
  def sketch_mean(sketch: Column): Column = Call("sketch_mean", sketch)

  /** Returns the variance of a sketch's values.
    *
    * {{{
    * spark.range(1, 101).select(sketch_variance(moments_agg(col("id")), population = true)).head()
    * // [833.25]
    * }}}
    */
  def sketch_variance(sketch: Column, population: Boolean = Defaults.Population): Column =
    Call("sketch_variance", sketch, lit(population))

  /** Returns the standard deviation of a sketch's values.
    *
    * {{{
    * spark.range(1, 101).select(sketch_stddev(moments_agg(col("id")))).head()
    * // [29.011491975882016]
    * }}}
    */
  def sketch_stddev(sketch: Column, population: Boolean = Defaults.Population): Column =
    Call("sketch_stddev", sketch, lit(population))

  /** Returns a moment of a sketch's values, plus bounds that always contain the exact one.
    *
    * {{{
    * spark.range(1, 101).select(sketch_moment_bounds(moments_agg(col("id")), "mean")).head()
    * // [[50.5,50.5,50.5]]
    * }}}
    */
  def sketch_moment_bounds(sketch: Column, moment: String): Column = sketch_moment_bounds(sketch, lit(moment))

  /** Returns a moment of a sketch's values, plus bounds that always contain the exact one. */
  def sketch_moment_bounds(sketch: Column, moment: Column): Column =
    Call("sketch_moment_bounds", sketch, moment)

  /** Returns the skewness of a sketch's values.
    *
    * {{{
    * spark.range(1, 101).select(sketch_skewness(moments_agg(col("id")))).head()
    * // [0.0]
    * }}}
    */
  def sketch_skewness(sketch: Column): Column = Call("sketch_skewness", sketch)

  /** Returns the excess kurtosis of a sketch's values.
    *
    * {{{
    * spark.range(1, 101).select(sketch_kurtosis(moments_agg(col("id")))).head()
    * // [-1.2002400240024003]
    * }}}
    */
  def sketch_kurtosis(sketch: Column): Column = Call("sketch_kurtosis", sketch)

  /** Returns the covariance of a sketch's pairs.
    *
    * {{{
    * val s = comoments_agg(col("id") * 2 + 1, col("id"))
    * spark.range(1, 101).select(sketch_covar(s, population = true)).head()
    * // [1666.5]
    * }}}
    */
  def sketch_covar(sketch: Column, population: Boolean = Defaults.Population): Column =
    Call("sketch_covar", sketch, lit(population))

  /** Returns the correlation of a sketch's pairs.
    *
    * {{{
    * spark.range(1, 101).select(sketch_corr(comoments_agg(col("id") * 2 + 1, col("id")))).head()
    * // [1.0]
    * }}}
    */
  def sketch_corr(sketch: Column): Column = Call("sketch_corr", sketch)

  /** Returns the slope of the regression line of a sketch's pairs.
    *
    * {{{
    * spark.range(1, 101).select(sketch_slope(comoments_agg(col("id") * 2 + 1, col("id")))).head()
    * // [2.0]
    * }}}
    */
  def sketch_slope(sketch: Column): Column = Call("sketch_slope", sketch)

  /** Returns the intercept of the regression line of a sketch's pairs: its y at x = 0.
    *
    * {{{
    * spark.range(1, 101).select(sketch_intercept(comoments_agg(col("id") * 2 + 1, col("id")))).head()
    * // [1.0]
    * }}}
    */
  def sketch_intercept(sketch: Column): Column = Call("sketch_intercept", sketch)

  /** Returns the share of the variance of y that the regression line explains.
    *
    * {{{
    * spark.range(1, 101).select(sketch_r2(comoments_agg(col("id") * 2 + 1, col("id")))).head()
    * // [1.0]
    * }}}
    */
  def sketch_r2(sketch: Column): Column = Call("sketch_r2", sketch)
}
