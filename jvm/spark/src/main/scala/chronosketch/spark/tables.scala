package chronosketch.spark

import org.apache.spark.sql.catalyst.expressions.{FunctionTableSubqueryArgumentExpression, Literal}
import org.apache.spark.sql.{Column, DataFrame, classic}

import chronosketch.spark.dsl.TableFunctions
import chronosketch.spark.hopping.{HoppingSketch, HoppingStructure}
import chronosketch.spark.sql.SparkPrivates
import chronosketch.spark.table.Defaults

/** The table functions of SQL for Scala: `import chronosketch.spark.tables._`. `hopping` takes a data frame, the others a session.
  *
  * {{{
  * hopping(df, "ts", "10 minutes", "10 seconds", Seq(quantile_sketch_agg(col("latency")).as("s")), Seq(col("host")))
  * history_at(spark, "requests_history", version = lit(3))
  * }}}
  */
object tables extends TableFunctions {

  /** Aggregates the rows of every hopping window, as `GROUP BY window(event_time, size, slide)` does.
    *
    * Each row is touched once. `eventTime` is the name of a TIMESTAMP or TIMESTAMP_NTZ column; rows with a NULL time are ignored.
    * `size` and `slide` are intervals as text. The result has the columns of `by`, the struct `window` with its `start` and `end`,
    * and the aggregates.
    */
  def hopping(
      rows: DataFrame,
      eventTime: String,
      size: String,
      slide: String,
      aggs: Seq[Column],
      by: Seq[Column] = Nil,
      structure: String = HoppingStructure.Auto.name
  ): DataFrame = {
    val aggregated = rows.groupBy(by: _*).agg(aggs.head, aggs.tail: _*).asInstanceOf[classic.DataFrame]
    val input = FunctionTableSubqueryArgumentExpression(aggregated.queryExecution.analyzed)
    SparkPrivates.frame(
      aggregated.sparkSession,
      HoppingSketch.of(Seq(
        input,
        Literal(eventTime),
        Literal(size),
        Literal(slide)
      ) ++ Defaults.noTexts ++ Defaults.noTexts :+ Literal(structure))
    )
  }

  /** Aggregates the rows of every hopping window: the older name of [[hopping]]. */
  def hopping_sketch(
      rows: DataFrame,
      eventTime: String,
      size: String,
      slide: String,
      aggs: Seq[Column],
      by: Seq[Column] = Nil,
      structure: String = HoppingStructure.Auto.name
  ): DataFrame = hopping(rows, eventTime, size, slide, aggs, by, structure)
}
