package chronosketch.spark.state

import java.io.ByteArrayOutputStream
import java.nio.file.{Files, Path}

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.{DataFrame, Row, classic}

import chronosketch.spark.{SparkQueries, TestLog}
import chronosketch.spark.hopping.HoppingQueries

/** Runs a stream, restarts it from its checkpoint as another query, and compares its output with the same rows as a table. */
trait Restarts extends SparkQueries with HoppingQueries {
  import Restarts._

  /** Runs `body` with a query's settings. */
  private def using[A](q: Query)(body: => A): A = withConf(
    "spark.sql.streaming.stateStore.providerClass" -> q.store,
    "spark.sql.shuffle.partitions" -> q.partitions.toString
  )(body)

  private def rowsOf(events: DataFrame): DataFrame =
    events.toDF("host", "site", "micros", "v", "w")
      .selectExpr(
        "host",
        "site",
        "timestamp_micros(micros) AS ts",
        "timestamp_micros(micros) AS seen",
        "v",
        "w"
      )

  def textOf(q: Query, table: String): String =
    if (q.isHopping) hopping(table, q.size, q.slide, q.by, q.named).replace("'ts'", s"'${q.time}'")
    else sparks(table, q.size, q.slide, q.by, q.named)

  /** One checkpoint and the source of its queries, whose rows pass through `passing` first. */
  final class Stream(passing: DataFrame => DataFrame = identity) {
    val checkpoint: Path = Files.createTempDirectory("restart")
    private val session = spark.asInstanceOf[classic.SparkSession]
    private val source = {
      import session.implicits._
      MemoryStream[Event](session, 2)
    }

    /** The output of a query for some pieces of rows, or the error that ends it. */
    def run(q: Query, pieces: Seq[Seq[Event]]): Either[Throwable, Seq[Row]] = using(q) {
      passing(rowsOf(source.toDF())).withWatermark(q.time, q.delay).createOrReplaceTempView("events")
      val out = new ArrayBuffer[Row]
      val batch: (DataFrame, Long) => Unit = (df, _) => {
        val rows = df.collect()
        out.synchronized { out ++= rows; () }
      }
      try TestLog.expectingFailure {
          val writer = sql(textOf(q, "events")).writeStream.outputMode(q.mode)
            .option("checkpointLocation", checkpoint.toString)
          val running = (if (q.isKept) writer.foreachBatch(batch) else writer.format("noop")).start()
          try {
            pieces.foreach { piece =>
              source.addData(piece)
              running.processAllAvailable()
            }
            Right(out.toSeq)
          } finally running.stop()
        }
      catch { case e: Exception => Left(e) }
    }

    /** Changes the checkpoint to that of a query that has planned its first batch, but not committed it. */
    def forgetCommits(): Unit =
      for (log <- Seq("commits", "offsets")) {
        val batches = Files.list(checkpoint.resolve(log))
        try batches.filter(b => log == "commits" || !b.getFileName.toString.matches("0|\\.0\\.crc")).forEach(
            Files.delete(_)
          )
        finally batches.close()
      }

    /** The error that another query ends with. */
    def refusal(q: Query): Either[Throwable, Seq[Row]] = {
      // Spark has logged the rows of a failed batch and repeats them
      val piece = if (isRefused) Nil else Events.second
      isRefused = true
      run(q, Seq(piece))
    }
    private var isRefused = false

    def layouts: Seq[Path] = {
      val all = Files.walk(checkpoint)
      try all.filter(_.endsWith(StateCheck.File)).sorted.toArray.toSeq.map(_.asInstanceOf[Path])
      finally all.close()
    }
  }

  /** The plan of a query that is not started. */
  def explained(q: Query): String = using(q) {
    val session = spark.asInstanceOf[classic.SparkSession]
    import session.implicits._
    rowsOf(MemoryStream[Event](session, 2).toDF()).withWatermark(
      q.time,
      q.delay
    ).createOrReplaceTempView("events")
    val text = new ByteArrayOutputStream
    Console.withOut(text)(sql(textOf(q, "events")).select("*").explain())
    text.toString
  }

  /** The windows of all rows, computed from a table. */
  def whole(q: Query, events: Seq[Event]): Seq[Row] = {
    rowsOf(spark.createDataFrame(events)).createOrReplaceTempView("whole")
    sql(sparks("whole", q.size, q.slide, q.by, q.named)).collect().toSeq
  }

  /** Compares the output of a query after a restart with the table. In append mode the output must contain each window that was not
    * output before; in update mode the final state of each window with new rows.
    */
  def differences(
      q: Query,
      before: Seq[Row],
      after: Seq[Row],
      events: Seq[Event] = Events.first ++ Events.second
  ): Seq[String] = {
    val columns = q.by.length + 1
    def id(row: Row): Seq[Any] = row.toSeq.take(columns)
    val truth = whole(q, if (q.mode == "append") events else events ++ Events.last)
    val expected =
      if (q.mode == "append") truth.filterNot(before.map(id).toSet.compose(id))
      else truth.filter(after.map(id).toSet.compose(id))
    val made = if (q.mode == "append") after else after.groupBy(id).values.map(_.last).toSeq
    if (made.isEmpty) Seq("no windows")
    else texts(made).diff(texts(expected)) ++ texts(expected).diff(texts(made)).map("missing: " + _)
  }

  /** The condition of the innermost cause of an error. */
  def condition(error: Throwable): String = {
    @tailrec def inner(e: Throwable, found: String): String = {
      val here = e match {
        case s: SparkThrowable if s.getCondition != null => s.getCondition
        case _ => found
      }
      if (e.getCause == null) here else inner(e.getCause, here)
    }
    inner(error, error.getClass.getName)
  }
}

object Restarts {
  val RocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
  val OnHeap = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"

  /** A host, a site, a time in microseconds and two values. */
  type Event = (String, String, Long, Long, Double)

  object Events {
    private def rows(seconds: Range): Seq[Event] =
      seconds.map(s => ("h" + s % 2, "s" + s % 3, s * 1000000L, s.toLong, (s * 37 % 100).toDouble))

    /** Eight minutes of rows; `second` has the next six. */
    val first: Seq[Event] = rows(0 until 480)
    val second: Seq[Event] = rows(480 until 840)

    /** An event that closes all windows. */
    val last: Seq[Event] = Seq(("end", "end", 100L * 3600 * 1000000, 0L, 0.0))
  }

  /** A streaming query of hopping windows.
    *
    * @param isHopping by `hopping_sketch`; otherwise by GROUP BY window(…)
    * @param isKept    whether the test sees the results; otherwise they go into a sink that drops them
    */
  final case class Query(
      aggs: Seq[String] = Seq("count(*)", "sum(v)"),
      size: String = "4 minutes",
      slide: String = "1 minute",
      by: Seq[String] = Seq("host"),
      delay: String = "1 minute",
      mode: String = "append",
      store: String = RocksDb,
      partitions: Int = 2,
      isHopping: Boolean = true,
      time: String = "ts",
      isKept: Boolean = true
  ) {
    def named: Seq[String] = aggs.zipWithIndex.map { case (sql, i) => s"$sql AS a$i" }
  }
}
