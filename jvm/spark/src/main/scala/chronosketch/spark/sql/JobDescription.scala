package chronosketch.spark.sql

import org.apache.spark.sql.SparkSession

/** Describes the jobs of this thread in the Spark UI. The text is appended to the user's own description, if any. */
object JobDescription {
  private val Property = "spark.job.description"

  def during[A](text: String)(body: => A): A = {
    val context = SparkSession.active.sparkContext
    val before = context.getLocalProperty(Property)
    context.setLocalProperty(Property, if (before == null) text else s"$before: $text")
    try body
    finally context.setLocalProperty(Property, before)
  }
}
