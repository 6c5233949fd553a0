package chronosketch.spark.sql

import org.apache.spark.sql.SparkSession

/** What the Spark UI says of the jobs of this thread: behind what the user says of them, if anything. */
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
