package chronosketch.spark.rollup

import java.nio.file.Files

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.streaming.{DataStreamWriter, OutputMode, Trigger}
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}

import chronosketch.spark.TestLog

/** Tests roll-ups that a stream feeds: each batch counts once, and a batch that could be lost or counted twice is refused. */
class RollupBatchSuite extends RollupTests {
  private val stream = "11111111-2222-3333-4444-555555555555"

  /** A table of the rows that batches had so far, to compare with. */
  private def arrived(table: String): String = requests(table, rows = 0)

  private def batchOf(rows: String): String = {
    sql(rows).createOrReplaceTempView("arriving")
    "arriving"
  }

  private def rowsOf(from: Long, until: Long): String =
    "SELECT timestamp_seconds(1767225600 + (id * 7919) % 259200) AS ts, nullif(concat('s', id % 4), 's3') AS service, " +
      s"nullif((id * 37) % 101, 50) * 1.5D AS latency_ms FROM range($from, $until)"

  private def add(into: String, number: Long, query: String = stream, more: String = hourAndDay): Row = call(
    s"rollup_batch('arriving', '$into', batch => $number, query => '$query', time => 'ts', by => array('service'), " +
      s"values => map('latency', 'latency_ms'), epsilon => 0.02, $more)"
  )

  private def isNew(row: Row): Boolean = row.getAs[Boolean]("is_new")

  private def refused(condition: String)(body: => Any): String = {
    val e = intercept[AnalysisException](body)
    assertEquals(e.getCondition, s"CHRONOSKETCH_ROLLUP_$condition", e.getMessage)
    e.getMessage
  }

  private def versions(table: String): Long = sql(s"DESCRIBE HISTORY $table").count()

  private def newest(table: String): Long = sql(s"DESCRIBE HISTORY $table LIMIT 1").head().getLong(0)

  test("each batch counts once, also if it is repeated") {
    val (source, into) = (arrived("batches_source"), dropped("batches_into"))
    for (number <- 0 to 3) {
      batchOf(rowsOf(number * 100L, number * 100L + 100))
      val made = add(into, number)
      assert(isNew(made))
      assertEquals(made.getAs[Long]("step"), number + 1L)
      assertEquals(made.getAs[Long]("version"), number.toLong)
      val before = versions(into)
      assert(!isNew(add(into, number)))
      assert(number == 0 || !isNew(add(into, number - 1L)))
      assertEquals(versions(into), before)
      insert(source, number * 100L, number * 100L + 100)
      checkRollup(into, source)
    }
    checkRows(sql(s"SELECT * FROM rollup_now('$into')"), source, "1 day" -> "date_trunc('day', ts)")
  }

  test("batches without rows, without times and without keys") {
    val (source, into) = (arrived("sparse_source"), dropped("sparse_into"))
    def step(number: Long, rows: String): Row = {
      batchOf(rows)
      val made = add(into, number)
      assert(isNew(made), rows)
      assert(!isNew(add(into, number)), rows)
      sql(s"INSERT INTO $source $rows")
      checkRollup(into, source)
      made
    }
    val none = step(0, rowsOf(0, 0))
    assertEquals(none.getAs[Long]("rows"), 0L)
    assert(none.isNullAt(none.fieldIndex("committed")))
    step(1, "SELECT CAST(NULL AS TIMESTAMP) AS ts, CAST(NULL AS STRING) AS service, 2D AS latency_ms")
    step(2, "SELECT CAST(NULL AS TIMESTAMP) AS ts, 's1' AS service, CAST(NULL AS DOUBLE) AS latency_ms")
    val timed = step(
      3,
      "SELECT TIMESTAMP'2026-01-01 10:30:00' AS ts, CAST(NULL AS STRING) AS service, 3D AS latency_ms"
    )
    assertEquals(timed.getAs[java.sql.Timestamp]("committed").toInstant.toString, "2026-01-01T10:30:00Z")
    step(4, rowsOf(0, 0))
    step(5, rowsOf(0, 50))
  }

  test("a batch that was left out is refused, and so is a roll-up that begins in the middle") {
    val into = dropped("gap_into")
    batchOf(rowsOf(0, 10))
    refused("BATCHES_MISSING")(add(into, 1))
    assert(!spark.catalog.tableExists(into))
    add(into, 0)
    assert(refused("BATCHES_MISSING")(add(into, 2)).contains("from 1 on"))
    assert(isNew(add(into, 1)))
  }

  test("batches of another stream are refused, whatever their number") {
    val into = dropped("other_into")
    batchOf(rowsOf(0, 10))
    add(into, 0)
    add(into, 1)
    for (number <- 0 to 3)
      assert(refused("OTHER_STREAM")(add(into, number, query = "another")).contains("another"))
    assertEquals(spark.table(into).where("level = '1 hour'").selectExpr("sum(rows)").head().getLong(0), 20L)
  }

  test("after RESTORE, batches go on where the restored version was") {
    val (source, into) = (arrived("restored_source"), dropped("restored_into"))
    batchOf(rowsOf(0, 50))
    (0 to 2).foreach(add(into, _))
    val before = newest(into)
    sql(s"RESTORE TABLE $into TO VERSION AS OF ${before - 1}")
    refused("BATCHES_MISSING")(add(into, 3))
    sql(s"RESTORE TABLE $into TO VERSION AS OF $before")
    sql(s"OPTIMIZE $into")
    assert(!isNew(add(into, 2)))
    assert(isNew(add(into, 3)))
    (0 to 3).foreach(_ => insert(source, 0, 50))
    checkRollup(into, source)
  }

  test("a write of someone else is refused, with a remedy that a stream has") {
    val into = dropped("written_into")
    batchOf(rowsOf(0, 50))
    add(into, 0)
    sql(s"DELETE FROM $into WHERE service = 's1'")
    val message = refused("CHANGED")(add(into, 1))
    assert(message.contains("Restore the version of its last step") && !message.contains("rebuild"), message)
  }

  test("two writers of the same batches add each once") {
    val (source, into) = (arrived("racing_source"), dropped("racing_into"))
    batchOf(rowsOf(0, 50))
    add(into, 0)
    for (number <- 1 to 3) {
      val both = Seq.fill(2)(Future(isNew(add(into, number))))
      assertEquals(both.map(Await.result(_, 5.minutes)).count(identity), 1)
    }
    (0 to 3).foreach(_ => insert(source, 0, 50))
    checkRollup(into, source)
  }

  test("retention counts from the newest time of all rows, not from the clock") {
    val into = dropped("retained_into")
    def at(time: String): String = s"SELECT TIMESTAMP'$time' AS ts, 's1' AS service, 1D AS latency_ms"
    def buckets(level: String): Seq[String] =
      sql(
        s"SELECT CAST(bucket AS STRING) FROM $into WHERE level = '$level' ORDER BY bucket"
      ).collect().toSeq.map(_.getString(0))
    val more = s"$hourAndDay, retention => map('1 hour', '1 day')"
    val batches = Seq(
      "2020-01-01 10:10:00" -> Seq("2020-01-01 10:00:00"),
      "2020-01-02 10:59:59" -> Seq("2020-01-01 10:00:00", "2020-01-02 10:00:00"),
      "2020-01-02 11:00:00" -> Seq("2020-01-02 10:00:00", "2020-01-02 11:00:00"),
      "2020-01-01 09:00:00" -> Seq("2020-01-02 10:00:00", "2020-01-02 11:00:00")
    )
    // the second batch leaves the first hour, because a day before 10:59:59 is within it
    for (((time, hours), number) <- batches.zipWithIndex) {
      batchOf(at(time))
      assert(isNew(add(into, number, more = more)))
      assertEquals(buckets("1 hour"), hours, time)
    }
    assertEquals(buckets("1 day"), Seq("2020-01-01 00:00:00", "2020-01-02 00:00:00"))
    assertEquals(spark.table(into).where("level = '1 day'").selectExpr("sum(rows)").head().getLong(0), 4L)
  }

  test("a roll-up is fed by a stream or follows a table, and cannot change that") {
    val (source, fed, following) = (requests("fed_source"), dropped("fed_into"), dropped("fed_following"))
    batchOf(rowsOf(0, 10))
    add(fed, 0)
    for (
      procedure <- Seq(
        s"refresh('$fed')",
        s"rebuild('$fed')",
        s"rebuild('$fed', from => TIMESTAMP'2026-01-01 00:00:00')"
      )
    )
      refused("FED_OTHERWISE")(call(procedure))
    refused("FED_OTHERWISE")(follow(source, fed, hourAndDay))
    follow(source, following, hourAndDay)
    assert(refused("FED_OTHERWISE")(add(following, 0)).contains(source))
    refused("DIFFERS")(add(fed, 1, more = "bucket => '1 hour'"))
    sql(
      "SELECT CAST(ts AS DATE) AS ts, service, latency_ms FROM arriving"
    ).createOrReplaceTempView("arriving")
    refused("SOURCE_CHANGED")(add(fed, 1))
  }

  test("a description names the stream, and has no lag") {
    val into = dropped("described_into")
    batchOf(rowsOf(0, 10))
    add(into, 0)
    val described = call(s"describe_rollup('$into')")
    assertEquals(described.getAs[String]("source"), s"stream $stream")
    assertEquals(described.getAs[Long]("version"), 0L)
    for (column <- Seq("source_version", "lag_versions", "lag_seconds"))
      assert(described.isNullAt(described.fieldIndex(column)), column)
  }

  test("arguments of a batch are checked") {
    val into = dropped("arguments_into")
    batchOf(rowsOf(0, 10))
    refused("ARGUMENT")(add(into, -1))
    refused("ARGUMENT")(add(into, 0, query = " "))
    refused("STREAM_UNKNOWN")(call(
      s"rollup_batch('arriving', '$into', batch => 0, time => 'ts', values => map('v', 'latency_ms'), bucket => '1 day')"
    ))
    assert(!spark.catalog.tableExists(into))
  }

  /** Runs a stream of all files in a folder, and passes each batch to a procedure. Returns the id of the query. */
  private def run(
      folder: String,
      into: String,
      change: DataStreamWriter[Row] => DataStreamWriter[Row] = identity,
      select: DataFrame => DataFrame = identity,
      more: String = ""
  ): String = {
    val rows = spark.readStream.schema("ts TIMESTAMP, service STRING, latency_ms DOUBLE").option(
      "maxFilesPerTrigger",
      1
    ).parquet(s"$folder/files")
    val writer = change(select(rows).writeStream.trigger(Trigger.AvailableNow()).option(
      "checkpointLocation",
      s"$folder/checkpoint"
    ))
    val query = writer.foreachBatch { (batch: DataFrame, number: Long) =>
      batch.createOrReplaceTempView("streamed")
      batch.sparkSession.sql(
        s"CALL chronosketch.rollup_batch('streamed', '$into', batch => $number, time => 'ts', by => array('service'), " +
          s"values => map('latency', 'latency_ms'), epsilon => 0.02, $hourAndDay $more)"
      )
      ()
    }.start()
    query.awaitTermination()
    query.id.toString
  }

  private def folder(): String = Files.createTempDirectory("rollup-batches").toString

  private def arrive(folder: String, source: String, from: Long, until: Long): Unit = {
    sql(rowsOf(from, until)).coalesce(1).write.mode("append").parquet(s"$folder/files")
    insert(source, from, until)
  }

  test("the id of a running stream is found, and a new checkpoint is another stream") {
    val (source, into, at) = (arrived("running_source"), dropped("running_into"), folder())
    arrive(at, source, 0, 100)
    arrive(at, source, 100, 150)
    val id = run(at, into)
    checkRollup(into, source)
    assertEquals(call(s"describe_rollup('$into')").getAs[String]("source"), s"stream $id")
    arrive(at, source, 150, 300)
    assertEquals(run(at, into), id)
    checkRollup(into, source)
    val other = folder()
    sql(rowsOf(0, 10)).write.parquet(s"$other/files")
    assertEquals(conditionOf(run(other, into)), "CHRONOSKETCH_ROLLUP_OTHER_STREAM")
    assertEquals(conditionOf(run(at, into, more = ", query => 'another'")), "")
    arrive(at, source, 300, 301)
    assertEquals(conditionOf(run(at, into, more = ", query => 'another'")), "CHRONOSKETCH_ROLLUP_ARGUMENT")
    run(at, into)
    checkRollup(into, source)
  }

  test("a stream whose rows come again is refused") {
    val (source, into, at) = (arrived("updating_source"), dropped("updating_into"), folder())
    arrive(at, source, 0, 100)
    val counted = (rows: DataFrame) =>
      rows.groupBy("ts", "service").sum("latency_ms").withColumnRenamed("sum(latency_ms)", "latency_ms")
    for (mode <- Seq(OutputMode.Complete(), OutputMode.Update()))
      assertEquals(
        conditionOf(run(folderWith(at), into, _.outputMode(mode), counted)),
        "CHRONOSKETCH_ROLLUP_STREAM_UPDATES"
      )
    assert(!spark.catalog.tableExists(into))
    intercept[AnalysisException](run(at, into, _.trigger(Trigger.Continuous("1 second"))))
  }

  /** A folder with the same files and a checkpoint of its own. */
  private def folderWith(files: String): String = {
    val copy = folder()
    spark.read.parquet(s"$files/files").write.parquet(s"$copy/files")
    copy
  }

  /** The condition with which a query ends, or an empty text. */
  private def conditionOf(body: => Any): String =
    try { TestLog.expectingFailure(body); "" }
    catch {
      case e: Throwable =>
        Iterator.iterate(e)(_.getCause).takeWhile(_ != null).collect { case s: SparkThrowable =>
          s.getCondition
        }
          .find(c => c != null && c.startsWith("CHRONOSKETCH_")).getOrElse(e.toString)
    }
}
