package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

import chronosketch.spark.dsl.Call.notGiven
import chronosketch.spark.table.Defaults

/** Functions that answer for any past version of values that come and go. */
trait HistoryFunctions {

  /** Builds a sketch that answers for any past version of values that come and go.
    *
    * {{{
    * val held = spark.range(1, 101).withColumn("ends", col("id") + 10)
    * val s = held.agg(history_sketch_agg(col("id"), col("id"), until = col("ends")).as("s"))
    * s.select(sketch_count(sketch_at_version(col("s"), lit(50L)))).head()
    * // [10]
    * }}}
    */
  def history_sketch_agg(
      value: Column,
      version: Column,
      change: Column = notGiven,
      epsilon: Double = Defaults.HistoryEpsilon,
      until: Column = notGiven
  ): Column = history_sketch_agg(value, version, change, lit(epsilon), until)

  /** Builds a sketch that answers for any past version of values that come and go. */
  def history_sketch_agg(
      value: Column,
      version: Column,
      change: Column,
      epsilon: Column,
      until: Column
  ): Column = Call("history_sketch_agg", value, version, change, epsilon, until)

  /** Returns one version of a history, as a sketch.
    *
    * {{{
    * val s = spark.range(1, 101).agg(history_sketch_agg(col("id"), col("id")).as("s"))
    * s.select(sketch_quantile(sketch_at_version(col("s"), lit(50L)), 0.5)).head()
    * // [25.0]
    * }}}
    */
  def sketch_at_version(sketch: Column, version: Column): Column = Call("sketch_at_version", sketch, version)

  /** Returns the first and the last version of a history, and the number of trees that it consists of.
    *
    * {{{
    * val s = spark.range(1, 101).agg(history_sketch_agg(col("id"), col("id")).as("s"))
    * s.select(sketch_versions(col("s"))("first"), sketch_versions(col("s"), "int")("last")).head()
    * // [1,100]
    * }}}
    */
  def sketch_versions(sketch: Column, typeName: String = Defaults.VersionType): Column =
    Call("sketch_versions", sketch, lit(typeName))

  /** Returns the phi-quantile of the values that were there at a version.
    *
    * {{{
    * val changes = spark.range(1, 101).withColumn("change", lit(1))
    * changes.select(approx_quantile_at_version(col("id"), col("id"), col("change"), 0.5, lit(50L))).head()
    * // [25]
    * }}}
    */
  def approx_quantile_at_version(
      value: Column,
      version: Column,
      change: Column,
      phi: PhiArgument,
      atVersion: Column,
      epsilon: Double = Defaults.HistoryEpsilon
  ): Column = approx_quantile_at_version(value, version, change, phi.column, atVersion, lit(epsilon))

  /** Returns the phi-quantile of the values that were there at a version. */
  def approx_quantile_at_version(
      value: Column,
      version: Column,
      change: Column,
      phi: Column,
      atVersion: Column,
      epsilon: Column
  ): Column = Call("approx_quantile_at_version", value, version, change, phi, atVersion, epsilon)
}
