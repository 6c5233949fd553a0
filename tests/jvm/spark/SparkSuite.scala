package chronosketch.spark

import org.apache.spark.sql.SparkSession

import chronosketch.Suite

/** The base of suites that share one session. */
abstract class SparkSuite extends Suite with SparkQueries {

  // start Spark before the first test of a JVM, so that its time limit does not include the start
  override def beforeAll(): Unit = { spark; () }

  /** Drops the views of this suite: a later suite could find one under the name of its own table. */
  override def afterAll(): Unit =
    rows("SHOW VIEWS").filter(_.getAs[Boolean]("isTemporary")).foreach { view =>
      spark.catalog.dropTempView(view.getAs[String]("viewName"))
    }
}

object SparkSuite {
  lazy val session: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .appName("chronosketch tests")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "4")
    // nobody looks at plans in Spark's UI: keep their texts short
    .config("spark.sql.ui.explainMode", "simple")
    // small pages: if a test makes memory scarce, a sorter can release some of them
    .config("spark.buffer.pageSize", "64k")
    // a task that ends with memory that it did not give back fails
    .config("spark.unsafe.exceptionOnMemoryLeak", "true")
    // tests add no jars, and tasks would ask the driver for each class that the code generator looks for
    .config("spark.sql.artifact.isolation.enabled", "false")
    // most queries run again in another operator, with the same code below it
    .config("spark.sql.codegen.cache.maxEntries", "1000")
    .config(LocalFiles.settings)
    .getOrCreate()
}
