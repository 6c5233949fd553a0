package chronosketch.spark.dsl

import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.{Column, DataFrame, SparkSession}

import Call.notGiven

/** Table functions that read stored tables, or no rows at all. */
trait TableFunctions {

  /** Returns the phi-quantiles of each group of a warehouse, with bounds that always hold.
    *
    * There is a row for each group and phi, with the answer `value`, its bounds `low` and `high`, how many ranks it can be wrong by,
    * and what it cost. `warehouse` is a path, or the name that `CALL chronosketch.register` gave it.
    */
  def warehouse_quantile(
      spark: SparkSession,
      warehouse: String,
      phi: PhiArgument,
      accuracy: String = "accurate",
      window: Column = notGiven
  ): DataFrame = Call.table(spark, "warehouse_quantile", lit(warehouse), phi.column, lit(accuracy), window)

  /** Returns how many values of each group are at or below a value, with bounds that always hold.
    *
    * There is a row for each group and value, with the bounds `rank_low` and `rank_high`. An array asks for several values at once.
    */
  def warehouse_rank(
      spark: SparkSession,
      warehouse: String,
      value: Column,
      accuracy: String = "accurate",
      window: Column = notGiven
  ): DataFrame = Call.table(spark, "warehouse_rank", lit(warehouse), value, lit(accuracy), window)

  /** Returns the rows that a roll-up would have if it were refreshed now.
    *
    * Nothing is written: rows of buckets in which the source has changed since the last step are computed.
    */
  def rollup_now(spark: SparkSession, into: String): DataFrame = Call.table(spark, "rollup_now", lit(into))

  /** Returns the sketches that a history has of one version of its source.
    *
    * There is a row for each group that has values at that version, with a BINARY `sketch`. Give either `version` or `timestamp`, which
    * asks for the last version that was committed by then. `spark.sql("CALL chronosketch.follow(…)")` keeps histories.
    */
  def history_at(
      spark: SparkSession,
      into: String,
      version: Column = notGiven,
      timestamp: Column = notGiven
  ): DataFrame = Call.table(spark, "history_at", lit(into), version, timestamp)

  /** Returns a row for each way to compute an aggregate of a sliding window, with predicted time and memory.
    *
    * The best comes first. The column `sql` has the settings and the query to write. Ways that do not fit come last, with the reason in
    * the column `excluded`.
    */
  def chronosketch_advise(
      spark: SparkSession,
      aggregate: String,
      retention: SpanArgument,
      slide: SpanArgument,
      rate: Column = notGiven,
      epsilon: Double = 0.0,
      delta: Column = notGiven,
      memory: Column = notGiven,
      model: Column = notGiven
  ): DataFrame = Call.table(
    spark,
    "chronosketch_advise",
    lit(aggregate),
    retention.column,
    slide.column,
    rate,
    lit(epsilon),
    delta,
    memory,
    model
  )
}
