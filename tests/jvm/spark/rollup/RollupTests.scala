package chronosketch.spark.rollup

import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import chronosketch.spark.{DeltaSession, SparkSuite}

/** The base of suites about roll-ups: a session with Delta, sources, and the exact answers that a roll-up is compared with. */
abstract class RollupTests extends SparkSuite {
  override protected lazy val spark: SparkSession = DeltaSession.session

  private var tables = List.empty[String]

  override def beforeEach(context: BeforeEach): Unit = {
    super.beforeEach(context)
    SparkSession.setActiveSession(spark)
    spark.conf.set("spark.sql.catalog.chronosketch", "chronosketch.spark.warehouse.call.WarehouseCatalog")
  }

  override def afterEach(context: AfterEach): Unit = {
    tables.foreach(table => sql(s"DROP TABLE IF EXISTS $table"))
    tables = Nil
    SparkSession.setActiveSession(SparkSuite.session)
    super.afterEach(context)
  }

  /** Registers a name of a table that is dropped after the test. */
  protected def dropped(table: String): String = { tables ::= table; table }

  /** Creates a table of requests with rows over three days. */
  protected def requests(table: String, rows: Long = 500): String = {
    sql(
      s"CREATE TABLE ${dropped(table)} (ts TIMESTAMP, service STRING, latency_ms DOUBLE) USING delta " +
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    insert(table, 0, rows)
    table
  }

  protected def insert(table: String, from: Long, until: Long): Unit = {
    sql(
      s"INSERT INTO $table SELECT timestamp_seconds(1767225600 + (id * 7919) % 259200), " +
        "nullif(concat('s', id % 4), 's3'), nullif((id * 37) % 101, 50) * 1.5D " +
        s"FROM range($from, $until)"
    )
    ()
  }

  /** The message of the error that a body throws. */
  protected def message(body: => Any): String = intercept[Exception](body).getMessage

  /** Runs bodies at the same time, each in a thread of its own. */
  protected def atOnce[A](bodies: Seq[() => A]): Seq[A] = {
    val threads = Executors.newFixedThreadPool(bodies.size)
    try threads.invokeAll(bodies.map(body => (() => body()): Callable[A]).asJava).asScala.toSeq.map(_.get)
    finally threads.shutdown()
  }

  protected def call(procedure: String): Row = sql(s"CALL chronosketch.$procedure").head()

  protected val hourAndDay = "levels => array('1 hour', '1 day')"

  protected def follow(source: String, into: String, more: String = "bucket => '1 hour'"): Row =
    call(
      s"rollup('$source', '$into', time => 'ts', by => array('service'), values => map('latency', 'latency_ms'), epsilon => 0.02, $more)"
    )

  /** Compares the rows of some levels with those that the source gives: counts, sums and extremes exactly, and quantiles within
    * epsilon.
    *
    * @param levels
    *   the levels, each with the bucket of a row of the source in SQL
    */
  protected def checkRows(stored: DataFrame, source: String, levels: (String, String)*): Unit = {
    val epsilon = 0.02
    val buckets = levels.map(_._2).mkString(", ")
    val rows = sql(s"SELECT service, latency_ms, $buckets FROM $source").collect().toSeq
    val found = stored.where(stored("level").isin(levels.map(_._1): _*)).selectExpr(
      "level",
      "bucket",
      "service",
      "rows",
      "latency_count",
      "latency_sum",
      "latency_min",
      "latency_max",
      "sketch_count(latency) AS held",
      "sketch_quantile(latency, 0.9D) AS p90",
      "sketch_rank_error(latency) AS error"
    ).collect().toSeq.groupBy(row => (row.getString(0), row.get(1), row.get(2)))
    val expected = levels.zipWithIndex.flatMap { case ((level, _), i) =>
      rows.groupBy(row => (level, row.get(2 + i), row.get(0)))
    }.toMap
    assertEquals(found.keySet, expected.keySet)
    found.foreach { case (key, same) =>
      assertEquals(same.size, 1, s"rows of $key")
      val row = same.head
      def of[A](name: String): A = row.getAs[A](name)
      val all = expected(key).filterNot(_.isNullAt(1)).map(_.getDouble(1))
      assertEquals(of[Long]("rows"), expected(key).size.toLong, row.toString)
      assertEquals(of[Long]("latency_count"), all.size.toLong, row.toString)
      assertEquals(of[Any]("latency_min"), all.minOption.orNull: Any, row.toString)
      assertEquals(of[Any]("latency_max"), all.maxOption.orNull: Any, row.toString)
      assertEquals(of[Any]("latency_sum") == null, all.isEmpty, row.toString)
      if (all.nonEmpty) {
        assertEqualsDouble(of[Double]("latency_sum"), all.sum, 1e-6 * math.abs(all.sum))
        assertEquals(of[Long]("held"), all.size.toLong, row.toString)
        assert(of[Double]("error") <= epsilon, row.toString)
        val p90 = of[Double]("p90")
        val slack = epsilon * all.size
        assert(
          all.count(_ < p90) <= 0.9 * all.size + slack && all.count(_ <= p90) >= 0.9 * all.size - slack,
          row.toString
        )
      }
    }
  }

  protected def checkRollup(into: String, source: String): Unit = {
    val levels = spark.table(into).select("level").distinct().collect().map(_.getString(0))
    val hour = "1 hour" -> "date_trunc('hour', ts)"
    val day = Option.when(levels.contains("1 day"))("1 day" -> "date_trunc('day', ts)")
    checkRows(spark.table(into), source, Seq(hour) ++ day: _*)
  }

  /** How often each row comes. */
  protected def bag(frame: DataFrame): Map[Row, Int] =
    frame.collect().toSeq.groupBy(identity).map { case (row, same) => row -> same.size }
}
