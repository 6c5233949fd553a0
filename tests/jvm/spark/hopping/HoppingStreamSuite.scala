package chronosketch.spark.hopping

import java.nio.file.Files

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration._
import scala.util.Random

import org.apache.spark.sql.catalyst.plans.logical.TransformWithState
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.types.{BinaryType, StructType}
import org.apache.spark.sql.{AnalysisException, DataFrame, Row, classic}

import chronosketch.Cases
import chronosketch.spark.SparkSuite

/** Hopping windows of a stream are those of Spark's own GROUP BY window(…) over the same stream, and of a table in the end. */
class HoppingStreamSuite extends SparkSuite with HoppingQueries {
  import HoppingStreamSuite._

  // each is two streams of a dozen batches
  override def munitTimeout: Duration = 10.minutes

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

  // every batch is planned anew, which takes the longer the more is asked
  private val few = exact.take(3)

  private def named(rows: DataFrame): DataFrame =
    rows.toDF("host", "micros", "v").selectExpr("host", "timestamp_micros(micros) AS ts", "v")

  /** What a query over the stream puts out for each of the pieces that arrive, one after another; some start it anew from its
    * checkpoint at every second piece.
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

  /** The windows of all that arrived, as a table. */
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
      s"piece by piece what Spark's aggregation puts out, in $mode mode, late rows and restarts too, $size every $slide"
    ) {
      withStore(RocksDb) {
        val made = stream(mode, wild, restarts = true)(hopping("stream", size, slide, by, aggs))
        val truth = withStore(OnHeap)(stream(mode, wild)(sparks("stream", size, slide, by, aggs)))
        assert(truth.count(_.nonEmpty) >= 3)
        // late rows were in time for some of their windows, and for others not
        made.zip(truth).foreach { case (ours, theirs) => assertEquals(texts(ours), texts(theirs)) }
      }
    }
  }

  test("without a watermark, in update mode, nothing is ever late") {
    withStore(RocksDb) {
      def made(asked: String) = stream("update", wild.take(3), delay = None)(asked).map(texts)
      val by = Seq("host")
      assertEquals(
        made(hopping("stream", "10 minutes", "5 minutes", by, exact)),
        made(sparks("stream", "10 minutes", "5 minutes", by, exact))
      )
    }
  }

  test("beyond exact a certificate holds for every window, and what comes after goes by the windows' time") {
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

  test("what can't run is said when the query starts") {
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

  test("panes that are finished once, when all of their rows are there, are Spark's to aggregate") {
    withStore(RocksDb) {
      view(events(), Some("1 minute"))
      def kept(agg: String): Boolean =
        sql(hopping("stream", "10 minutes", "5 minutes", Seq("host"), Seq(agg)))
          .queryExecution.analyzed.exists(_.nodeName == "TransformWithState")
      assert(kept("quantile_sketch_agg(v) AS s"))
      assert(!kept("qlove_sketch_agg(v, ts, 0.5, 2) AS s"))
    }
  }

  test("what is asked of a window is answered where it is merged, without bytes in between") {
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
      s"two aggregations of Spark's, chained: every window closed is that of the table, by ${by.headOption.getOrElse("none")}"
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

  /** A host, microseconds and a value. */
  type Event = (String, Long, Option[Long])

  /** Hours later than all others: it closes their windows. */
  val last: Event = ("end", 100L * 3600 * 1000000, None)

  /** Too late for anything. */
  val straggler: Event = ("host1", 1800L * 1000000, Some(1L))

  /** An hour of rows in their order, but for the lateness: each arrives up to so many seconds late. */
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
