package chronosketch.spark.following

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import chronosketch.spark.{DeltaSession, SparkSuite}

/** The base of suites about sources in Delta tables. Each test has tables of its own. */
abstract class FollowingSuite extends SparkSuite {
  override protected lazy val spark: SparkSession = DeltaSession.session

  protected val Feed = "delta.enableChangeDataFeed = true"

  protected def create(table: String, properties: String = Feed): Unit = {
    sql(s"DROP TABLE IF EXISTS $table")
    sql(
      s"CREATE TABLE $table (id INT, region STRING, amount INT) USING delta TBLPROPERTIES ($properties)"
    )
    ()
  }

  protected def open(table: String, last: Option[LastVersion] = None): ChangeSource =
    Sources.open(spark, table, last)

  protected def run(statements: String*): Unit = statements.foreach(sql(_).collect())

  /** The rows of a table as of a version, by Delta's own time travel. */
  protected def asOf(table: String, version: Long): Map[Row, Long] =
    counted(sql(s"SELECT *, 1L AS copies FROM $table VERSION AS OF $version"))

  /** How often each row occurs. The last column is the number of its copies. */
  protected def counted(rows: DataFrame): Map[Row, Long] =
    rows.collect().toSeq.groupMapReduce(row => Row.fromSeq(row.toSeq.init))(_.getLong(row0(rows)))(_ + _)
      .filter(_._2 != 0)

  private def row0(rows: DataFrame): Int = rows.columns.length - 1

  /** Adds the changes of each version to the rows of the version before, and compares with time travel. */
  protected def checkChanges(source: ChangeSource, table: String, first: Long, last: Long): Unit = {
    val columns = source.snapshot(last).columns.toSeq
    val changes = source.changes(first, last)
    def between(from: Long, to: Long): Map[Row, Long] = counted(
      changes.where(s"${ChangeSource.Version} BETWEEN $from AND $to")
        .select((columns :+ ChangeSource.Copies).map(name =>
          org.apache.spark.sql.functions.col(s"`$name`")
        ): _*)
    )
    def plus(a: Map[Row, Long], b: Map[Row, Long]): Map[Row, Long] =
      (a.toSeq ++ b.toSeq).groupMapReduce(_._1)(_._2)(_ + _).filter(_._2 != 0)
    def widened(rows: Map[Row, Long]): Map[Row, Long] =
      rows.map { case (row, copies) => Row.fromSeq(row.toSeq.padTo(columns.size, null)) -> copies }
    (first to last).foreach { version =>
      val expected = widened(asOf(table, version))
      assertEquals(
        plus(widened(asOf(table, first - 1)), between(first, version)),
        expected,
        s"version $version"
      )
      assertEquals(counted(source.snapshot(version).selectExpr("*", "1L AS copies")), asOf(table, version))
    }
  }

  /** The error of a body, as our condition and its whole text. */
  protected def refused(body: => Any): (String, String) = {
    val e = intercept[Throwable](body)
    e match {
      case named: SparkThrowable => (named.getCondition, e.getMessage)
      case _ => throw e
    }
  }
}
