package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

import chronosketch.spark.dsl.Call.notGiven
import chronosketch.spark.table.Defaults

/** Functions that turn summaries of other libraries into sketches, and those that go the other way. */
trait ImportFunctions {

  /** Returns a sketch of the values that a histogram counted, with bounds that always hold.
    *
    * {{{
    * val s = sketch_from_histogram(lit(Array(10, 50, 100)), lit(Array(7, 80, 9, 4)))
    * spark.range(1).select(sketch_count(s), sketch_rank_bounds(s, lit(60))).head()
    * // [100,[87,96]]
    * }}}
    */
  def sketch_from_histogram(
      bounds: Column,
      counts: Column,
      cumulative: Boolean = Defaults.Cumulative,
      minimum: Column = notGiven,
      maximum: Column = notGiven
  ): Column = Call("sketch_from_histogram", bounds, counts, lit(cumulative), minimum, maximum)

  /** Returns a sketch of what a KLL sketch of Apache DataSketches knows, with the bounds that it states.
    *
    * {{{
    * val kll = spark.range(1, 101).select(expr("kll_sketch_agg_bigint(id)").as("kll"))
    * kll.select(sketch_quantile(sketch_from_kll(col("kll"), "bigint"), 0.5)).head()
    * // [50.0]
    * }}}
    */
  def sketch_from_kll(binary: Column, typeName: String): Column =
    Call("sketch_from_kll", binary, lit(typeName))

  /** Returns the bytes of a KLL sketch of Apache DataSketches.
    *
    * {{{
    * val kll = spark.range(1, 101).agg(sketch_to_kll(quantile_sketch_agg(col("id"))).as("kll"))
    * kll.select(sketch_quantile(sketch_from_kll(col("kll"), "bigint"), 0.5)).head()
    * // [50.0]
    * }}}
    */
  def sketch_to_kll(sketch: Column, k: Column = notGiven): Column = Call("sketch_to_kll", sketch, k)

  /** Returns a sketch of what a DDSketch of Datadog's libraries knows, with bounds that always hold.
    *
    * {{{
    * val theirs = spark.range(1, 11).select(sketch_to_ddsketch(ddsketch_agg(col("id") * 10)).as("b"))
    * theirs.select(sketch_rank_bounds(sketch_from_ddsketch(col("b")), lit(55))).head()
    * // [[5,5]]
    * }}}
    */
  def sketch_from_ddsketch(
      binary: Column,
      library: String = Defaults.Library,
      collapsed: String = Defaults.Collapsed,
      minimum: Column = notGiven,
      maximum: Column = notGiven
  ): Column = Call("sketch_from_ddsketch", binary, lit(library), lit(collapsed), minimum, maximum)

  /** Returns a sketch of ddsketch_agg as bytes that Datadog's libraries read.
    *
    * {{{
    * val theirs = sketch_to_ddsketch(ddsketch_agg(col("id")))
    * spark.range(1, 101).select(sketch_count(sketch_from_ddsketch(theirs))).head()
    * // [100]
    * }}}
    */
  def sketch_to_ddsketch(sketch: Column, library: String = Defaults.Library): Column =
    Call("sketch_to_ddsketch", sketch, lit(library))

  /** Returns a sketch of the values that an exponential histogram counted, with bounds that always hold.
    *
    * {{{
    * val none = lit(Array.empty[Int])
    * val s = sketch_from_exponential_histogram(lit(0), lit(1), lit(3), lit(Array(10, 20)), lit(0), none)
    * spark.range(1).select(sketch_count(s), sketch_rank_bounds(s, lit(16))).head()
    * // [31,[11,11]]
    * }}}
    */
  def sketch_from_exponential_histogram(
      scale: Column,
      zeroCount: Column,
      positiveOffset: Column,
      positiveCounts: Column,
      negativeOffset: Column,
      negativeCounts: Column,
      zeroThreshold: Double = Defaults.ZeroThreshold,
      minimum: Column = notGiven,
      maximum: Column = notGiven
  ): Column = sketch_from_exponential_histogram(
    scale,
    zeroCount,
    positiveOffset,
    positiveCounts,
    negativeOffset,
    negativeCounts,
    lit(zeroThreshold),
    minimum,
    maximum
  )

  /** Returns a sketch of the values that an exponential histogram counted, with bounds that always hold. */
  def sketch_from_exponential_histogram(
      scale: Column,
      zeroCount: Column,
      positiveOffset: Column,
      positiveCounts: Column,
      negativeOffset: Column,
      negativeCounts: Column,
      zeroThreshold: Column,
      minimum: Column,
      maximum: Column
  ): Column = Call(
    "sketch_from_exponential_histogram",
    scale,
    zeroCount,
    positiveOffset,
    positiveCounts,
    negativeOffset,
    negativeCounts,
    zeroThreshold,
    minimum,
    maximum
  )
}
