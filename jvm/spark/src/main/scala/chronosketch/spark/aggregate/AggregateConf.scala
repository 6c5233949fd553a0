package chronosketch.spark.aggregate

import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.sql.SparkPrivates

/** The settings of aggregations. They are registered with Spark, which rejects an invalid value when it is set. */
object AggregateConf {
  val Enabled = "spark.chronosketch.aggregate.enabled"

  val Columns = "spark.chronosketch.aggregate.columns"

  val GroupingSets = "spark.chronosketch.aggregate.cube"

  private lazy val declared: Unit = {
    SparkPrivates.declareBoolean(
      Enabled,
      "When true, aggregations with a function of chronosketch run in an operator of its own, in generated code.",
      "0.1.0",
      true
    )
    SparkPrivates.declareBoolean(
      Columns,
      "When true, that operator reads whole columns from a scan where nothing stands between the two.",
      "0.1.0",
      true
    )
    SparkPrivates.declareBoolean(
      GroupingSets,
      "When true, CUBE, ROLLUP and GROUPING SETS with a function of chronosketch aggregate the rows once, by all keys, and merge the " +
        "other grouping sets from these groups.",
      "0.1.0",
      true
    )
  }

  /** Registers the settings with Spark. */
  def register(): Unit = declared

  def isEnabled: Boolean = SQLConf.get.getConfString(Enabled, "true").toBoolean
  def readsColumns: Boolean = SQLConf.get.getConfString(Columns, "true").toBoolean
  def mergesGroupingSets: Boolean = SQLConf.get.getConfString(GroupingSets, "true").toBoolean
}
