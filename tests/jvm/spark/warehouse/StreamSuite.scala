package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}

/** Tests Spark streams that write to a warehouse. */
class StreamSuite extends WarehouseTests {
  private def rows(from: Long, until: Long): DataFrame =
    spark.range(from, until, 1, 2).selectExpr(
      "id * 7919 % 10007 AS v",
      "IF(id % 2 = 0, 'even', NULL) AS k",
      "id"
    )

  private final class Source {
    val folder: Path = Files.createTempDirectory("source")
    val checkpoint: Path = Files.createTempDirectory("checkpoint")

    def add(from: Long, until: Long): Unit =
      rows(from, until).coalesce(1).write.mode("append").parquet(folder.toString)

    def stream(schema: String = "v BIGINT, k STRING, id BIGINT"): DataFrame =
      spark.readStream.schema(schema).option("maxFilesPerTrigger", "1").parquet(folder.toString)

    /** Writes all files that are available. */
    def run(w: Warehouse, step: Option[String] = None): Unit = {
      val query = w.attach(stream(), checkpoint.toString, step, Trigger.AvailableNow())
      try { query.awaitTermination(); () }
      finally query.stop()
    }

    /** Removes batches from a number on from the checkpoint, as if they had not been committed, or not planned. */
    def forget(from: Long, log: String = "commits"): Unit = {
      val done = checkpoint.resolve(log)
      Files.list(done).filter(f =>
        f.getFileName.toString.stripPrefix(".").takeWhile(_.isDigit).toLong >= from
      )
        .forEach(Files.delete(_))
    }
  }

  private def assertRows(w: Warehouse, until: Long): Unit =
    check(w.quantile(phis), truth(rows(0, until), Seq("k"), "v"), 1)

  test("each batch of a stream is added once, despite restarts and repetitions") {
    val source = new Source
    val w = Warehouse.create(spark, folder(), "v", Seq("K"), epsilon = 0.01)
    (0 until 3).foreach(i => source.add(i * 50L, i * 50L + 50))
    source.run(w)
    assertEquals(w.state.live.map(_.rows), IndexedSeq(50L, 50L, 50L))
    assertRows(w, 150)
    // make Spark repeat the last batch
    source.forget(2)
    source.add(150, 200)
    source.run(w)
    assertRows(w, 200)
    assertEquals(w.state.streams.map(_.batch), Seq(3L))
    assertEquals(w.endStep().map(_.rows), Some(200L))
    source.forget(3)
    source.run(w)
    assertRows(w, 200)
    assertEquals(w.state.live.size, 0)
  }

  test("a stream whose checkpoint was restored from an older copy fails before it loses a row") {
    val source = new Source
    val w = Warehouse.create(spark, folder(), "v", Seq("K"), epsilon = 0.01)
    (0 until 3).foreach(i => source.add(i * 50L, i * 50L + 50))
    source.run(w)
    Seq("commits", "offsets").foreach(source.forget(1, _))
    val e = intercept[Exception](source.run(w))
    val causes = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).toSeq
    val found = causes.collectFirst {
      case s: SparkThrowable if s.getCondition == "CHRONOSKETCH_WAREHOUSE_STREAM_PASSED" => s
    }
    assert(found.exists(_.asInstanceOf[Throwable].getMessage.contains("batch 1 of the stream")), s"$causes")
    assertRows(w, 150)
  }

  test("a step ends at the first batch after its end time") {
    val source = new Source
    val w = Warehouse.create(spark, folder(), "v", Seq("k"), epsilon = 0.01)
    (0 until 3).foreach(i => source.add(i * 50L, i * 50L + 50))
    source.run(w, Some("1 millisecond"))
    assertEquals(w.state.runs.map(r => (r.firstStep, r.rows)), IndexedSeq((1L, 50L), (2L, 50L)))
    assertEquals(w.state.live.map(_.rows), IndexedSeq(50L))
    assert(w.state.open.flatMap(_.until).exists(_ <= System.currentTimeMillis()))
    w.compact()
    assertEquals(w.state.runs.map(_.rows), IndexedSeq(50L, 50L, 50L))
    assertRows(w, 150)
  }

  test("invalid streams fail when they start") {
    val source = new Source
    val path = folder()
    val w = Warehouse.create(spark, path, "v", Seq("k"))
    def attach(schema: String, step: String = "1 day"): StreamingQuery =
      w.attach(source.stream(schema), source.checkpoint.toString, Some(step))
    assertEquals(condition(attach("v BIGINT")), "CHRONOSKETCH_WAREHOUSE_COLUMN")
    assertEquals(condition(attach("v STRING, k STRING")), "CHRONOSKETCH_WAREHOUSE_COLUMN")
    Seq("1 month", "0 seconds", "soon").foreach { step =>
      assertEquals(condition(attach("v BIGINT, k STRING", step)), "CHRONOSKETCH_INVALID_WINDOW")
    }
    w.append(sql("SELECT 1 AS v, 'a' AS k"))
    assert(message(attach("v BIGINT, k STRING")).contains("its type is BIGINT, but it was INT"))
    def start(path: Option[String]): StreamingQuery = {
      val writer = source.stream().writeStream.format("chronosketch")
        .option("checkpointLocation", source.checkpoint.toString)
      path.fold(writer.start())(writer.start(_))
    }
    assertEquals(condition(start(None)), "CHRONOSKETCH_WAREHOUSE_ARGUMENT")
    assertEquals(condition(start(Some(s"$path/nothing"))), "CHRONOSKETCH_WAREHOUSE_NOT_FOUND")
  }

  test("a query with a continuous trigger is refused") {
    val w = Warehouse.create(spark, folder(), "value")
    val continuous = spark.readStream.format("rate").option("rowsPerSecond", "10").load()
    val checkpoint = Files.createTempDirectory("checkpoint").toString
    val e = intercept[Exception] {
      val query = w.attach(continuous, checkpoint, None, Trigger.Continuous(200))
      try query.awaitTermination(60000)
      finally query.stop()
    }
    val causes = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).toSeq
    assert(
      causes.collect { case s: SparkThrowable => s.getCondition }.contains("CHRONOSKETCH_WAREHOUSE_ARGUMENT"),
      causes.mkString("; ")
    )
  }
}
