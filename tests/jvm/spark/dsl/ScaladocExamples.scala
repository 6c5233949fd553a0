package chronosketch.spark.dsl

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** What the suite that the build makes of the Scaladoc's examples is written with. */
abstract class ScaladocExamples extends SparkSuite {
  protected def example(name: String, answer: String)(row: => Row): Unit =
    test(name)(assertEquals(row.toString, answer))
}
