package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

import chronosketch.spark.dsl.Call.notGiven
import chronosketch.spark.table.Defaults

/** Functions that draw samples, and the one that returns the values of a sample. */
trait SampleFunctions {

  /** Builds a random sample of a column.
    *
    * {{{
    * spark.range(1000).select(sketch_count(sample_sketch_agg(col("id"), size = lit(20)))).head()
    * // [1000]
    * }}}
    */
  def sample_sketch_agg(
      value: Column,
      size: Column = notGiven,
      method: Column = notGiven,
      seed: Long = Defaults.Seed,
      id: Column = notGiven,
      epsilon: Column = notGiven,
      delta: Double = Defaults.Delta
  ): Column = Call("sample_sketch_agg", value, size, method, lit(seed), id, epsilon, lit(delta))

  /** Builds a sketch that gives a random sample of any window by time.
    *
    * {{{
    * val s = window_sample_agg(col("id"), col("id"), size = 20, id = col("id"))
    * spark.range(1000).select(sketch_count(sketch_window(s, 500)), sketch_sample(sketch_window(s, 3), "int")).head()
    * // [500,ArraySeq(997, 998, 999)]
    * }}}
    */
  def window_sample_agg(
      value: Column,
      eventTime: Column,
      size: Int = Defaults.SampleSize,
      retention: SpanArgument = notGiven,
      seed: Long = Defaults.Seed,
      id: Column = notGiven
  ): Column = window_sample_agg(value, eventTime, lit(size), retention.column, lit(seed), id)

  /** Builds a sketch that gives a random sample of any window by time. */
  def window_sample_agg(
      value: Column,
      eventTime: Column,
      size: Column,
      retention: Column,
      seed: Column,
      id: Column
  ): Column = Call("window_sample_agg", value, eventTime, size, retention, seed, id)

  /** Returns the values of a sample, in ascending order.
    *
    * {{{
    * spark.range(1, 4).select(sketch_sample(sample_sketch_agg(col("id")), "int")).head()
    * // [ArraySeq(1, 2, 3)]
    * }}}
    */
  def sketch_sample(sketch: Column, typeName: String = Defaults.Type): Column =
    Call("sketch_sample", sketch, lit(typeName))
}
