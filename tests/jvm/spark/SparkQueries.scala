package chronosketch.spark

import scala.reflect.ClassTag

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import munit.{Assertions, Location}

/** Runs queries in the shared session, for suites and for programs that are run by hand. */
trait SparkQueries extends Assertions {
  protected lazy val spark: SparkSession = SparkSuite.session

  protected def sql(text: String): DataFrame = spark.sql(text)

  /** The only value of a query with one row and one column. */
  protected def one(text: String): Any = {
    val rows = sql(text).collect()
    assertEquals(rows.length, 1, text)
    rows(0).get(0)
  }

  protected def rows(text: String): Seq[Row] = sql(text).collect().toSeq

  /** The error of a query, while it is planned or while it runs. It must be a SparkThrowable. */
  protected def refusal(text: String): SparkThrowable =
    TestLog.expectingFailure {
      try {
        val answer = rows(text)
        fail(s"not refused: $text answers $answer")
      } catch { case e: SparkThrowable => e }
    }

  override def intercept[T <: Throwable](body: => Any)(implicit T: ClassTag[T], loc: Location): T =
    TestLog.expectingFailure(super.intercept[T](body))

  /** Runs with settings, and restores the old values afterwards. */
  protected def withConf[A](settings: (String, String)*)(body: => A): A = {
    val before = settings.map { case (k, _) => k -> spark.conf.getOption(k) }
    settings.foreach { case (k, v) => spark.conf.set(k, v) }
    try body
    finally before.foreach { case (k, old) => old.fold(spark.conf.unset(k))(spark.conf.set(k, _)) }
  }
}
