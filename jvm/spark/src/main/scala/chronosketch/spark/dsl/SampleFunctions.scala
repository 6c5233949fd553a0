package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

import chronosketch.spark.dsl.Call.notGiven
import chronosketch.spark.table.Defaults

/** Samples: what draws them, and what shows them. */
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
