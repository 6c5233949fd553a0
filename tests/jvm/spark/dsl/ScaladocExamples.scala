package chronosketch.spark.dsl

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** The base of the suite that the build generates from the examples in the Scaladoc. */
abstract class ScaladocExamples extends SparkSuite {
  protected def example(name: String, answer: String)(row: => Row): Unit =
    test(name)(assertEquals(row.toString, answer))
}
