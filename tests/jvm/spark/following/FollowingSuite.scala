package chronosketch.spark.following

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import chronosketch.spark.{DeltaSession, SparkSuite}

/** The base of suites about Delta tables as sources of changes. */
abstract class FollowingSuite extends SparkSuite {
  override protected lazy val spark: SparkSession = DeltaSession.session

  protected val Feed = "delta.enableChangeDataFeed = true"

  protected def create(table: String, properties: String = Feed): Unit = run(
    s"DROP TABLE IF EXISTS $table",
    s"CREATE TABLE $table (id INT, region STRING, amount INT) USING delta TBLPROPERTIES ($properties)"
  )

  protected def open(table: String, last: Option[LastVersion] = None): ChangeSource =
    Sources.open(spark, table, last)

  protected def run(statements: String*): Unit = statements.foreach(sql(_).collect())

  /** Adds the changes of the versions from `first` on to the rows of the version before, and compares each sum with time travel. */
  protected def checkChanges(source: ChangeSource, table: String, first: Long): Unit = {
    val versions = first - 1 to source.latest
    val columns = spark.table(table).columns.toSeq
    val truth = copies(columns, versions.map(version => atVersion(table, version)))
    val found = copies(
      columns,
      Seq(
        source.snapshot(first - 1).withColumn(ChangeSource.Version, lit(first - 1))
          .withColumn(ChangeSource.Copies, lit(1L)),
        source.changes(first, source.latest)
      )
    )
    versions.foreach { version =>
      val sums = (first - 1 to version).flatMap(found.getOrElse(_, Nil))
        .groupMapReduce(_._1)(_._2)(_ + _).filter(_._2 != 0)
      val rows = truth.getOrElse(version, Nil).groupMapReduce(_._1)(_._2)(_ + _)
      assertEquals(sums, rows, s"version $version")
    }
  }

  /** The rows as of a version, by Delta's time travel in SQL. */
  private def atVersion(table: String, version: Long): DataFrame =
    sql(s"SELECT * FROM $table VERSION AS OF $version").withColumn(ChangeSource.Version, lit(version))
      .withColumn(ChangeSource.Copies, lit(1L))

  /** The rows of each version with the number of their copies. Columns that a frame lacks are NULL. */
  private def copies(columns: Seq[String], frames: Seq[DataFrame]): Map[Long, Seq[(Row, Long)]] =
    frames.reduce((a, b) => a.unionByName(b, allowMissingColumns = true))
      .select(
        (Seq(ChangeSource.Version, ChangeSource.Copies) ++ columns).map(name => col(s"`$name`")): _*
      )
      .collect().toSeq
      .groupMap(_.getLong(0))(row => Row.fromSeq(row.toSeq.drop(2)) -> row.getLong(1))

  /** The condition and the text of an error. */
  protected def refused(body: => Any): (String, String) =
    intercept[Throwable](body) match {
      case e: SparkThrowable =>
        (e.getCondition.stripPrefix("CHRONOSKETCH_"), e.asInstanceOf[Throwable].getMessage)
      case e => throw e
    }
}
