package chronosketch.spark.hopping

import java.nio.file.Files

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.spark.sql.catalyst.plans.logical.TransformWithState
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.types.{BinaryType, StructType}
import org.apache.spark.sql.{AnalysisException, DataFrame, Row, classic}

import chronosketch.Cases
import chronosketch.spark.SparkSuite

/** Compares hopping windows of a stream with Spark's own GROUP BY window(…) over the same stream, and in the end over a table. */
class HoppingStreamSuite extends SparkSuite with HoppingQueries {
  import HoppingStreamSuite._

  private val RocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
  private val OnHeap = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"

  private def withStore[A](provider: String)(body: => A): A =
    withConf(
      "spark.sql.streaming.stateStore.providerClass" -> provider,
      "spark.sql.shuffle.partitions" -> "2"
    )(body)

  private val exact = Seq(
    "quantile_sketch_agg(v) AS s",
    "approx_quantile(v, array(0.5, 0.99)) AS q",
    "count(*) AS rows",
    "count(v) AS values",
    "sum(v) AS total",
    "sum(CAST(v AS DECIMAL(10, 2))) AS price",
    "min(v) AS least",
    "max(host) AS last",
    "avg(v) AS mean",
    "avg(CAST(v AS DECIMAL(10, 2))) AS mean_price",
    "count(*) FILTER (WHERE v > 500) AS large"
  )

  // every batch is planned again, which takes longer with more aggregates
  private val few = exact.take(3)

  private def named(rows: DataFrame): DataFrame =
    rows.toDF("host", "micros", "v").selectExpr("host", "timestamp_micros(micros) AS ts", "v")

  /** The output of a query over the stream for each piece that arrives. With `restarts`, the query restarts from its checkpoint at every
    * second piece.
    */
  private def stream(
      mode: String,
      pieces: Seq[Seq[Event]],
      delay: Option[String] = Some("1 minute"),
      restarts: Boolean = false
  )(text: String): Seq[Seq[Row]] = {
    val source = events()
    view(source, delay)
    val checkpoint = Files.createTempDirectory("checkpoint").toString
    val out = new ArrayBuffer[Row]
    val batch: (DataFrame, Long) => Unit = (df, _) => {
      val rows = df.collect()
      out.synchronized { out ++= rows; () }
    }
    def start() =
      sql(text).writeStream.outputMode(mode).option(
        "checkpointLocation",
        checkpoint
      ).foreachBatch(batch).start()
    var running = start()
    try pieces.zipWithIndex.map { case (piece, i) =>
        if (restarts && i % 2 == 1) {
          running.stop()
          running = start()
        }
        source.addData(piece)
        running.processAllAvailable()
        val made = out.toVector
        out.clear()
        made
      }
    finally running.stop()
  }

  private def events(): MemoryStream[Event] = {
    val session = spark.asInstanceOf[classic.SparkSession]
    import session.implicits._
    MemoryStream[Event](session, 2)
  }

  private def view(source: MemoryStream[Event], delay: Option[String]): Unit = {
    val rows = named(source.toDF())
    delay.fold(rows)(rows.withWatermark("ts", _)).createOrReplaceTempView("stream")
  }

  /** The answers of a query over the table of all rows that arrived. */
  private def whole(pieces: Seq[Seq[Event]])(text: String): Seq[String] = {
    named(spark.createDataFrame(pieces.flatten)).createOrReplaceTempView("stream")
    texts(sql(text).collect())
  }

  private val wild = arrivals(rows = 240, pieces = 4, lateness = 900, seed = 2) :+ Seq(last) :+ Seq(straggler)

  private val streams = Seq(
    ("append", Seq("host"), "10 minutes", "4 minutes", exact),
    ("append", Nil, "7 minutes", "3 minutes", few),
    ("update", Seq("host"), "5 minutes", "1 minute", few),
    ("update", Nil, "10 minutes", "10 minutes", exact)
  )

  Cases.some(2, streams).foreach { case (mode, by, size, slide, aggs) =>
    test(
      s"batches equal Spark's, in $mode mode, with late rows and restarts, $size every $slide"
    ) {
      withStore(RocksDb) {
        val made = stream(mode, wild, restarts = true)(hopping("stream", size, slide, by, aggs))
        val truth = withStore(OnHeap)(stream(mode, wild)(sparks("stream", size, slide, by, aggs)))
        assert(truth.count(_.nonEmpty) >= 3)
        // late rows are in time for some of their windows, and too late for others
        made.zip(truth).foreach { case (ours, theirs) => assertEquals(texts(ours), texts(theirs)) }
      }
    }
  }

  test("without a watermark, in update mode, no row is late") {
    withStore(RocksDb) {
      def made(asked: String) = stream("update", wild.take(3), delay = None)(asked).map(texts)
      val by = Seq("host")
      assertEquals(
        made(hopping("stream", "10 minutes", "5 minutes", by, exact)),
        made(sparks("stream", "10 minutes", "5 minutes", by, exact))
      )
    }
  }

  test("summarised windows keep their certificate, and later operators use the windows' watermark") {
    withStore(RocksDb) {
      val pieces = arrivals(rows = 6000, pieces = 3, lateness = 60, seed = 3) :+ Seq(last)
      val aggs = Seq("quantile_sketch_agg(v, 0.1) AS s", "count(v) AS n")
      val asked = hopping("stream", "20 minutes", "10 minutes", Seq("host"), aggs)
      val made = stream("append", pieces)(
        s"SELECT window, max(sketch_rank_error(s)) AS e, sum(n) AS n, sum(sketch_count(s)) AS m FROM ($asked) GROUP BY window"
      ).flatten
      assert(made.exists(_.getDouble(1) > 0))
      assert(made.forall(r => r.getDouble(1) <= 0.1 && r.getLong(2) == r.getLong(3)))
      val counts = made.map(r => Row(r.get(0), r.get(2)))
      assertEquals(
        texts(counts),
        whole(pieces.init)(sparks("stream", "20 minutes", "10 minutes", Nil, Seq("count(v)")))
      )
    }
  }

  test("an unsupported query fails when it starts") {
    val asked = hopping("stream", "10 minutes", "5 minutes", Seq("host"), Seq("count(*) AS n"))
    def refused(mode: String, delay: Option[String]): String = {
      view(events(), delay)
      val query = sql(asked).writeStream.outputMode(mode).format("noop")
      intercept[AnalysisException](query.start().stop()).getCondition
    }
    withStore(RocksDb) {
      assertEquals(refused("complete", Some("1 minute")), "CHRONOSKETCH_HOPPING_MODE")
      assertEquals(refused("append", None), "CHRONOSKETCH_HOPPING_MODE")
    }
    withStore(OnHeap) {
      assertEquals(refused("complete", Some("1 minute")), "CHRONOSKETCH_HOPPING_MODE")
      assertEquals(refused("update", Some("1 minute")), "CHRONOSKETCH_HOPPING_MODE")
    }
  }

  test("sketches that need all rows of a pane before they are finished are aggregated by Spark") {
    withStore(RocksDb) {
      view(events(), Some("1 minute"))
      def kept(agg: String): Boolean =
        sql(hopping("stream", "10 minutes", "5 minutes", Seq("host"), Seq(agg)))
          .queryExecution.analyzed.exists(_.nodeName == "TransformWithState")
      assert(kept("quantile_sketch_agg(v) AS s"))
      assert(!kept("qlove_sketch_agg(v, ts, 0.5, 2) AS s"))
    }
  }

  test("questions about a window are answered where it is merged, without storing the sketch as bytes") {
    withStore(RocksDb) {
      view(events(), Some("1 minute"))
      def sketches(aggs: String*): Int = {
        val asked = sql(hopping("stream", "10 minutes", "5 minutes", Seq("host"), aggs))
        val plan = spark.asInstanceOf[classic.SparkSession].sessionState.optimizer
          .execute(asked.queryExecution.analyzed)
        val row = plan.collectFirst { case windows: TransformWithState => windows.outputObjAttr.dataType }
        row.get.asInstanceOf[StructType].count(_.dataType == BinaryType)
      }
      assertEquals(sketches("approx_quantile(v, 0.5) AS q", "count(*) AS n"), 0)
      assertEquals(sketches("sketch_quantile(quantile_sketch_agg(v), 0.5, 'bigint') + 1 AS q"), 0)
      assertEquals(sketches("quantile_sketch_agg(v) AS s", "approx_quantile(v, 0.5) AS q"), 1)
    }
  }

  Cases.some(1, Seq(Seq("host") -> exact, Nil -> few)).foreach { case (by, aggs) =>
    test(
      s"two chained aggregations: closed windows equal the table's, by ${by.headOption.getOrElse("none")}"
    ) {
      val pieces = arrivals(rows = 400, pieces = 3, lateness = 60, seed = 1) :+ Seq(last)
      withStore(OnHeap) {
        val made = stream("append", pieces)(hopping("stream", "10 minutes", "4 minutes", by, aggs)).flatten
        val truth = whole(pieces.init)(sparks("stream", "10 minutes", "4 minutes", by, aggs))
        assert(truth.size > 10)
        assertEquals(texts(made), truth)
      }
    }
  }
}

object HoppingStreamSuite {

  /** A host, a time in microseconds and a value. */
  type Event = (String, Long, Option[Long])

  /** An event hours after all others, which closes their windows. */
  val last: Event = ("end", 100L * 3600 * 1000000, None)

  /** An event that is too late for every window. */
  val straggler: Event = ("host1", 1800L * 1000000, Some(1L))

  /** An hour of rows, nearly in the order of their times: each arrives up to `lateness` seconds late. */
  def arrivals(rows: Int, pieces: Int, lateness: Int, seed: Long): Seq[Seq[Event]] = {
    val random = new Random(seed)
    val events = Seq.fill(rows) {
      val micros = random.nextInt(3600) * 1000000L + random.nextInt(1000000)
      val host = if (random.nextInt(20) == 0) null else "host" + random.nextInt(3)
      (host, micros, if (random.nextInt(10) == 0) None else Some(random.nextInt(1000).toLong))
    }
    val arriving = events.sortBy { case (_, micros, _) => micros + random.nextInt(lateness) * 1000000L }
    arriving.grouped((rows + pieces - 1) / pieces).toSeq
  }
}
