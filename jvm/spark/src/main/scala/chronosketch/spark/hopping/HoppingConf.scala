package chronosketch.spark.hopping

import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.sql.SparkPrivates

/** The settings of hopping windows. Spark knows them like its own and refuses a wrong value when it is set. */
object HoppingConf {
  val Rewrite = "spark.chronosketch.hopping.rewrite"

  private lazy val declared: Unit = SparkPrivates.declareBoolean(
    Rewrite,
    "When true, GROUP BY window(time, size, slide) of a table merges windows from panes instead of copying each row into all its windows, " +
      "where all its aggregates come from those of panes.",
    "0.1.0",
    false
  )

  /** Declares the settings to Spark. */
  def register(): Unit = declared

  def rewrites: Boolean = SQLConf.get.getConfString(Rewrite, "false").toBoolean
}
