package chronosketch.spark.rollup.rewrite

import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.sql.SparkPrivates

/** The settings of queries that roll-ups answer. They are registered with Spark, which rejects an invalid value when it is set. */
object RewriteConf {
  val Rewrite = "spark.chronosketch.rollup.rewrite"

  val Tables = "spark.chronosketch.rollup.tables"

  val PercentileApprox = "spark.chronosketch.rollup.rewrite.percentile_approx"

  private lazy val declared: Unit = {
    SparkPrivates.declareBoolean(
      Rewrite,
      "When true, an aggregate query on a Delta table is answered from a roll-up that follows the table, if every answer is at least as precise as " +
        "the query asks.",
      "0.1.0",
      false
    )
    SparkPrivates.declareText(
      Tables,
      "The roll-ups that queries may be answered from, with commas between them. Empty: all roll-ups in the schema of the query's table and in the " +
        "current schema.",
      "0.1.0"
    )
    SparkPrivates.declareBoolean(
      PercentileApprox,
      "When true, percentile_approx is answered from roll-ups, too, if its accuracy is at most 1 / epsilon of the roll-up.",
      "0.1.0",
      false
    )
  }

  /** Registers the settings with Spark. */
  def register(): Unit = declared

  def isEnabled: Boolean = SQLConf.get.getConfString(Rewrite, "false").toBoolean
  def answersPercentileApprox: Boolean = SQLConf.get.getConfString(PercentileApprox, "false").toBoolean
  def tables: Seq[String] =
    SQLConf.get.getConfString(Tables, "").split(",").toSeq.map(_.trim).filter(_.nonEmpty)
}
