package chronosketch.spark.hopping

import java.nio.file.Files
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}
import org.apache.spark.sql.{classic, DataFrame, ForeachWriter, Row}

import chronosketch.spark.{SparkSuite, TestLog}

/** Tests which functions run in real-time mode, and which error refuses the others. Spark 4.2 runs only queries without state there. */
class RealTimeModeSuite extends SparkSuite with HoppingQueries {
  import RealTimeModeSuite._

  private val RocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
  private val ShortBatches = "spark.sql.streaming.realTimeMode.minBatchDuration" -> "100"
  private val Unchecked = "spark.sql.streaming.realTimeMode.allowlistCheck" -> "false"

  /** A source that real-time mode can read. Spark's other one is Kafka. */
  private def source(): LowLatencyMemoryStream[(String, Long, Double)] = {
    val session = spark.asInstanceOf[classic.SparkSession]
    import session.implicits._
    LowLatencyMemoryStream.singlePartition[(String, Long, Double)](session)
  }

  private def view(rows: LowLatencyMemoryStream[(String, Long, Double)]): Unit =
    rows.toDF().toDF("host", "seconds", "v").selectExpr("host", "timestamp_seconds(seconds) AS ts", "v")
      .withWatermark("ts", "1 minute").createOrReplaceTempView("live_requests")

  private def start(query: DataFrame): StreamingQuery =
    query.writeStream.outputMode("update").foreach(new Collector)
      .option("checkpointLocation", Files.createTempDirectory("checkpoint").toString)
      .trigger(Trigger.RealTime("500 milliseconds")).start()

  /** Runs a query until it has returned n rows for the given ones. */
  private def answers(n: Int, input: (String, Long, Double)*)(text: String): Seq[String] =
    withConf(ShortBatches) {
      Collector.rows.clear()
      val rows = source()
      view(rows)
      val running = start(sql(text))
      // the rows may come in the middle of a batch, which stop() interrupts
      try TestLog.expectingFailure {
          rows.addData(input)
          val until = System.nanoTime + 180L * 1000 * 1000 * 1000
          while (running.isActive && Collector.rows.size < n && System.nanoTime < until) Thread.sleep(20)
          running.stop()
        }
      finally running.stop()
      assertEquals(running.exception, None)
      Collector.rows.asScala.toSeq.sorted
    }

  /** The condition and the message of the error that ends a query. */
  private def refusedInRealTime(query: DataFrame): (String, String) = TestLog.expectingFailure {
    val error = intercept[Exception](start(query).awaitTermination()) match {
      case e: StreamingQueryException => e.getCause
      case e => e
    }
    error match {
      case e: SparkThrowable => (e.getCondition, error.getMessage)
      case e => fail("it has no condition", e)
    }
  }

  override def afterAll(): Unit = {
    sql("DROP TABLE IF EXISTS yesterday")
    super.afterAll()
  }

  private def yesterday(): Unit =
    sql(
      "SELECT host, quantile_sketch_agg(CAST(id AS DOUBLE)) AS s FROM range(1, 101), (VALUES ('a'), ('b')) AS h (host) GROUP BY host"
    )
      .write.mode("overwrite").saveAsTable("yesterday")

  test("each row is held against a stored sketch as it arrives") {
    yesterday()
    val found = answers(2, ("a", 0L, 25.0), ("b", 1L, 100.0))(
      "SELECT v, sketch_cdf(s, v) AS share, v > sketch_quantile(s, 0.99) AS slow FROM live_requests JOIN yesterday USING (host)"
    )
    assertEquals(found, Seq("[100.0,1.0,true]", "[25.0,0.25,false]"))
  }

  test("a subquery brings one sketch to all rows") {
    yesterday()
    val found = answers(1, ("a", 0L, 25.0))(
      "SELECT sketch_cdf((SELECT max(s) FROM yesterday WHERE host = 'a'), v) FROM live_requests"
    )
    assertEquals(found, Seq("[0.25]"))
  }

  test("a sketch that a row brings is asked as it arrives") {
    val found = answers(1, ("a", 0L, 4.0))(
      "SELECT sketch_quantile(sketch_from_histogram(array(10D, 50D, 100D), array(1L, 0L, CAST(v AS BIGINT), 0L)), 0D) FROM live_requests"
    )
    assertEquals(found.size, 1)
  }

  test("hopping windows are refused by name, also if Spark's check is off") {
    Seq(Seq(ShortBatches), Seq(ShortBatches, Unchecked)).foreach { settings =>
      withConf(settings :+ ("spark.sql.streaming.stateStore.providerClass" -> RocksDb): _*) {
        view(source())
        val p99 = Seq("approx_quantile(v, 0.99) AS p99")
        val query = sql(hopping("live_requests", "5 minutes", "1 minute", Seq("host"), p99))
        val (condition, message) = refusedInRealTime(query)
        assertEquals(condition, "CHRONOSKETCH_HOPPING_REAL_TIME")
        assert(message.contains("trigger(processingTime='1 second')"), message)
      }
    }
  }

  test("Spark 4.2 refuses aggregates and names its operator") {
    withConf(ShortBatches) {
      view(source())
      Seq(
        "SELECT host, approx_quantile(v, 0.99) FROM live_requests GROUP BY host",
        "SELECT host, approx_quantile(v, 0.99) FROM live_requests GROUP BY host, window(ts, '5 minutes', '1 minute')"
      ).foreach { query =>
        val (condition, message) = refusedInRealTime(sql(query))
        assertEquals(condition, "STREAMING_REAL_TIME_MODE.OPERATOR_OR_SINK_NOT_IN_ALLOWLIST")
        assert(message.contains("ObjectHashAggregateExec"), message)
      }
    }
  }
}

object RealTimeModeSuite {
  private object Collector {
    val rows = new ConcurrentLinkedQueue[String]
  }

  /** Keeps rows in this JVM. Real-time mode refuses Spark's memory sink. */
  private final class Collector extends ForeachWriter[Row] {
    override def open(partition: Long, epoch: Long): Boolean = true
    override def process(row: Row): Unit = Collector.rows.add(row.toString)
    override def close(error: Throwable): Unit = ()
  }
}
