package chronosketch.spark.sliding

import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.SparkPrivates

/** The settings of sliding frames, which Spark knows as its own: a value that is none is refused when it is set. */
object SlidingConf {
  val Enabled = "spark.chronosketch.sliding.enabled"

  private lazy val declared: Unit = SparkPrivates.declareBoolean(
    Enabled,
    "When true, functions of chronosketch run in an operator of its own where they are asked OVER a window.",
    "0.1.0",
    true
  )

  /** Makes Spark know them. */
  def register(): Unit = declared

  def isEnabled: Boolean = SQLConf.get.getConfString(Enabled, "true").toBoolean
}
