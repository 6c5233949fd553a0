package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

import chronosketch.comparison.QuantileInterval
import chronosketch.spark.table.Defaults

/** Functions that compare two sketches, or a sketch with the population that its values were drawn from. */
trait ComparisonFunctions {

  /** Returns the Kolmogorov-Smirnov distance of two sketches: the greatest difference of their shares.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("a"), quantile_sketch_agg(col("id") + 20).as("b"))
    * s.select(sketch_ks(col("a"), col("b"), "int")).head()
    * // [[0.2,0.2,0.2,20]]
    * }}}
    */
  def sketch_ks(a: Column, b: Column, typeName: String = Defaults.Type): Column =
    Call("sketch_ks", a, b, lit(typeName))

  /** Returns the asymptotic p-value of the Kolmogorov-Smirnov distance of two sketches.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_ks_p_value(col("s"), col("s"))).head()
    * // [[1.0,1.0,1.0]]
    * }}}
    */
  def sketch_ks_p_value(a: Column, b: Column): Column = Call("sketch_ks_p_value", a, b)

  /** Returns the population stability index of two sketches, over bins of the first one.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_psi(col("s"), col("s"), 4)("value")).head()
    * // [0.0]
    * }}}
    */
  def sketch_psi(a: Column, b: Column, bins: Int = Defaults.Bins): Column =
    Call("sketch_psi", a, b, lit(bins))

  /** Returns the Wasserstein distance of two sketches: the mean distance between their quantiles.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_wasserstein(col("s"), col("s"))).head()
    * // [[0.0,0.0,0.0]]
    * }}}
    */
  def sketch_wasserstein(a: Column, b: Column): Column = Call("sketch_wasserstein", a, b)

  /** Returns a confidence interval of the phi-quantile of the population behind a sketch.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("s"))
    * s.select(sketch_quantile_interval(col("s"), 0.5, typeName = "int")).head()
    * // [[50,40,61]]
    * }}}
    */
  def sketch_quantile_interval(
      sketch: Column,
      phi: PhiArgument,
      confidence: Double = QuantileInterval.Confidence.default,
      designEffect: Double = QuantileInterval.Independent,
      typeName: String = Defaults.Type
  ): Column =
    sketch_quantile_interval(sketch, phi, confidence, lit(designEffect), typeName)

  /** Returns a confidence interval of the phi-quantile of the population behind a sketch. */
  def sketch_quantile_interval(
      sketch: Column,
      phi: PhiArgument,
      confidence: Double,
      designEffect: Column,
      typeName: String
  ): Column =
    Call("sketch_quantile_interval", sketch, phi.column, lit(confidence), designEffect, lit(typeName))

  /** Returns the difference of two populations' phi-quantiles, with a confidence interval and a p-value.
    *
    * {{{
    * val s = spark.range(1, 101).agg(quantile_sketch_agg(col("id")).as("a"), quantile_sketch_agg(col("id") + 20).as("b"))
    * s.select(sketch_quantile_difference(col("a"), col("b"), 0.5)("value")).head()
    * // [-20.0]
    * }}}
    */
  def sketch_quantile_difference(
      a: Column,
      b: Column,
      phi: PhiArgument,
      confidence: Double = QuantileInterval.Confidence.default,
      designEffect: Double = QuantileInterval.Independent
  ): Column = sketch_quantile_difference(a, b, phi, confidence, lit(designEffect))

  /** Returns the difference of two populations' phi-quantiles, with a confidence interval and a p-value. */
  def sketch_quantile_difference(
      a: Column,
      b: Column,
      phi: PhiArgument,
      confidence: Double,
      designEffect: Column
  ): Column = Call("sketch_quantile_difference", a, b, phi.column, lit(confidence), designEffect)

  /** Returns the design effect of a quantile, from the counts of each user.
    *
    * {{{
    * spark.range(10).agg(quantile_design_effect_agg(col("id"), lit(20)).cast("int")).head()
    * // [4]
    * }}}
    */
  def quantile_design_effect_agg(countBelow: Column, count: Column): Column =
    Call("quantile_design_effect_agg", countBelow, count)
}
