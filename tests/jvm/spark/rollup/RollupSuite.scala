package chronosketch.spark.rollup

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.spark.sql.SparkSession

import chronosketch.spark.tables

/** Tests roll-ups through CALL: what a table has after steps, and that a step is made once. */
class RollupSuite extends RollupTests {

  test("the first call builds the table, and the next one without changes writes nothing") {
    val (source, into) = (requests("first_source"), dropped("first_into"))
    val made = follow(source, into, hourAndDay)
    assertEquals(made.getAs[Long]("step"), 1L)
    assertEquals(made.getAs[Boolean]("is_new"), true)
    assertEquals(made.getAs[Long]("version"), 1L)
    assertEquals(made.getAs[Long]("rows"), spark.table(into).count())
    checkRollup(into, source)
    val again = follow(source, into, hourAndDay)
    assertEquals(again.getAs[Boolean]("is_new"), false)
    assertEquals(again.getAs[Long]("step"), 1L)
    assertEquals(sql(s"DESCRIBE HISTORY $into").count(), 2L)
  }

  test("appended, late, updated, deleted, merged, overwritten and restored rows") {
    val (source, into) = (requests("dml_source"), dropped("dml_into"))
    follow(source, into, hourAndDay)
    def step(statements: String*): Unit = {
      statements.foreach(sql(_))
      val now = bag(sql(s"SELECT * FROM rollup_now('$into')").drop("latency"))
      assertEquals(bag(tables.rollup_now(spark, into).drop("latency")), now)
      assert(call(s"refresh('$into')").getAs[Boolean]("is_new"), statements.mkString("; "))
      checkRollup(into, source)
      // the answer as of now was that of a roll-up refreshed a moment later
      assertEquals(bag(spark.table(into).drop("latency")), now, statements.mkString("; "))
    }
    step(
      s"INSERT INTO $source SELECT TIMESTAMP'2026-01-02 03:04:05', 's1', id FROM range(40)",
      s"INSERT INTO $source VALUES (NULL, 's1', 7), (TIMESTAMP'2025-12-30 23:59:59', NULL, NULL)"
    )
    step(
      s"UPDATE $source SET latency_ms = latency_ms + 3 WHERE service = 's2' AND ts < TIMESTAMP'2026-01-01 05:00:00'",
      s"UPDATE $source SET service = 'moved' WHERE service = 's0' AND ts >= TIMESTAMP'2026-01-03 20:00:00'"
    )
    step(
      s"DELETE FROM $source WHERE ts >= TIMESTAMP'2026-01-02 00:00:00' AND ts < TIMESTAMP'2026-01-02 02:30:00'",
      s"DELETE FROM $source WHERE ts IS NULL OR service IS NULL"
    )
    step(
      s"MERGE INTO $source t USING (SELECT timestamp_seconds(1767225600 + id) AS ts, concat('s', id % 6) AS service, id AS latency_ms FROM range(50)) s " +
        "ON t.ts = s.ts WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    step(s"RESTORE TABLE $source TO VERSION AS OF 2")
    step(
      s"INSERT OVERWRITE $source SELECT timestamp_seconds(1767225600 + id * 100), 's9', id FROM range(300)"
    )
    step(s"DELETE FROM $source")
    assertEquals(spark.table(into).count(), 0L)
    insert(source, 0, 10)
    call(s"refresh('$into')")
    checkRollup(into, source)
  }

  test("a step counts the rows that it wrote, and not those that it copied") {
    val (source, into) = (requests("copied_source"), dropped("copied_into"))
    follow(source, into, hourAndDay)
    sql(
      s"INSERT INTO $source VALUES (TIMESTAMP'2026-01-02 03:04:05', 's1', 7), (TIMESTAMP'2026-01-02 03:14:05', 's1', 9)"
    )
    // an hour and a day, of four groups each
    assertEquals(call(s"refresh('$into')").getAs[Long]("rows"), 8L)
  }

  test("a step that is interrupted again and again frees its cached rows, and can be made anew") {
    val (source, into) = (requests("interrupted_source"), dropped("interrupted_into"))
    follow(source, into, hourAndDay)
    sql(s"DELETE FROM $source WHERE pmod(unix_seconds(ts), 97) = 1")
    insert(source, 500, 510)
    val ofOthers = spark.sparkContext.getPersistentRDDs.keySet
    // Delta keeps states of tables, until it forgets them
    def kept = spark.sparkContext.getPersistentRDDs.collect {
      case (id, rows) if !ofOthers.contains(id) && !rows.name.startsWith("Delta Table State") => rows
    }
    val step = new Thread(() => {
      SparkSession.setActiveSession(spark)
      spark.sparkContext.addJobTag("interrupted step")
      try { call(s"refresh('$into')"); () }
      catch { case _: Throwable => () }
    })
    step.start()
    while (step.isAlive && kept.isEmpty) step.join(1)
    assert(kept.nonEmpty)
    while (step.isAlive) { step.interrupt(); step.join(1) }
    // a job runs on without the thread that waits for it
    spark.sparkContext.cancelJobsWithTag("interrupted step")
    assertEquals(kept.toSeq, Nil)
    call(s"refresh('$into')")
    checkRollup(into, source)
  }

  test("a step builds all rows if most groups have changed, unless retention has dropped some") {
    val (source, into, short) =
      (requests("most_source"), dropped("most_into"), dropped("most_short"))
    follow(source, into, hourAndDay)
    follow(source, short, s"$hourAndDay, retention => map('1 hour', '36500 days')")
    def replaced(name: String): Option[String] = {
      call(s"refresh('$name')")
      val predicate = sql(s"DESCRIBE HISTORY $name LIMIT 1").select("operationParameters.predicate")
      Option(predicate.head().getString(0)).filter(_.contains("bucket"))
    }
    sql(s"UPDATE $source SET latency_ms = latency_ms + 1 WHERE ts < TIMESTAMP'2026-01-01 05:00:00'")
    assert(replaced(into).nonEmpty)
    assert(replaced(short).nonEmpty)
    sql(s"UPDATE $source SET latency_ms = latency_ms + 1 WHERE ts < TIMESTAMP'2026-01-03 20:00:00'")
    assertEquals(replaced(into), None)
    assert(replaced(short).nonEmpty)
    checkRollup(into, source)
    checkRollup(short, source)
  }

  test("versions without other rows move the roll-up on") {
    val (source, into) = (requests("still_source"), dropped("still_into"))
    follow(source, into)
    sql(s"OPTIMIZE $source")
    sql(s"UPDATE $source SET latency_ms = latency_ms WHERE service = 's1'")
    val made = call(s"refresh('$into')")
    assertEquals(made.getAs[Boolean]("is_new"), true)
    assertEquals(made.getAs[Long]("rows"), 0L)
    assertEquals(call(s"refresh('$into')").getAs[Boolean]("is_new"), false)
    checkRollup(into, source)
  }

  test("changes of many hours that are not side by side") {
    val (source, into) = (requests("scattered_source"), dropped("scattered_into"))
    follow(source, into, hourAndDay)
    sql(s"INSERT INTO $source SELECT timestamp_seconds(1767225600 + id * 7200), 's1', id FROM range(400)")
    call(s"refresh('$into')")
    checkRollup(into, source)
    // Spark compiles conditions of 256 ranges only if its threads have large stacks, as here; otherwise it logs an error
    val replaced =
      sql(s"DESCRIBE HISTORY $into LIMIT 1").select("operationParameters.predicate").head().getString(0)
    assert("bucket >=".r.findAllIn(replaced).size <= 64, replaced)
    sql(s"DELETE FROM $source WHERE latency_ms % 3 = 0 AND ts > TIMESTAMP'2026-01-04'")
    call(s"refresh('$into')")
    checkRollup(into, source)
  }

  test("a row that several steps have touched is at most twice as large as one that was built at once") {
    val (source, into) = (requests("touched_source", 0), dropped("touched_into"))
    // each step brings fewer than 2/ε values, and all together are fewer than 8/ε
    for (i <- 0 until 4) {
      sql(
        s"INSERT INTO $source SELECT TIMESTAMP'2026-01-01 00:10:00', 's1', sqrt(id * 7919 % 1009) FROM range(${90 * i}, ${90 * i + 90})"
      )
      follow(source, into, hourAndDay)
    }
    checkRollup(into, source)
    val built =
      sql(s"SELECT length(quantile_sketch_agg(latency_ms, 0.02D)) FROM $source").head().getInt(0)
    sql(s"SELECT level, length(latency) FROM $into").collect().foreach { row =>
      assert(row.getInt(1) <= 2 * built, s"$row, built: $built bytes")
    }
  }

  test("files are in order of time, with statistics of each few hours, and the session's settings stay") {
    val (source, into) = (requests("files_source", 3000), dropped("files_into"))
    val before = spark.conf.getAll
    val levels = "levels => array('1 minute', '1 day')"
    val other = dropped("files_other")
    // two writes of a session at the same time
    atOnce(Seq(() => follow(source, into, levels), () => follow(source, other, levels)))
    assertEquals(spark.conf.getAll, before)
    val timestamps = "spark.sql.parquet.outputTimestampType"
    withConf(timestamps -> "TIMESTAMP_MILLIS") {
      sql(
        s"INSERT INTO $source VALUES (TIMESTAMP'2026-01-02 00:00:30', 's1', 7), (TIMESTAMP'2026-01-05 00:00:30', 's1', 7)"
      )
      call(s"refresh('$into')")
      assertEquals(spark.conf.get(timestamps), "TIMESTAMP_MILLIS")
    }
    var pages = 0
    spark.table(into).inputFiles.foreach { file =>
      val reader =
        ParquetFileReader.open(HadoopInputFile.fromPath(new Path(file), spark.sessionState.newHadoopConf()))
      try reader.getFooter.getBlocks.asScala.foreach { block =>
          val bucket = block.getColumns.asScala.find(_.getPath.toDotString == "bucket").get
          assertEquals(bucket.getPrimitiveType.getPrimitiveTypeName, PrimitiveTypeName.INT64)
          val (index, starts) = (reader.readColumnIndex(bucket), reader.readOffsetIndex(bucket))
          assert(index.getBoundaryOrder.name == "ASCENDING", file)
          pages += starts.getPageCount
          (1 until starts.getPageCount).foreach { i =>
            assert(starts.getFirstRowIndex(i) - starts.getFirstRowIndex(i - 1) <= 500, file)
          }
        }
      finally reader.close()
    }
    // the minutes have more than two thousand rows
    assert(pages >= 5, pages)
    checkRows(
      spark.table(into),
      source,
      "1 minute" -> "date_trunc('minute', ts)",
      "1 day" -> "date_trunc('day', ts)"
    )
  }
}
