package chronosketch.spark

import scala.concurrent.duration._

import org.apache.spark.sql.SparkSession

import munit.FunSuite

/** A suite that asks one shared session. */
abstract class SparkSuite extends FunSuite with SparkQueries {

  // the first suite of a JVM waits for Spark, outside the time of its first test
  override def beforeAll(): Unit = { spark; () }
  override def munitTimeout: Duration = 2.minutes
}

object SparkSuite {
  lazy val session: SparkSession = {
    val session = SparkSession
      .builder()
      .master("local[2]")
      .appName("chronosketch tests")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "4")
      // no page shows plans: their texts need not be long
      .config("spark.sql.ui.explainMode", "simple")
      // so that where a test makes memory scarce, a sorter can give some of its pages back
      .config("spark.buffer.pageSize", "64k")
      .getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session
  }
}
