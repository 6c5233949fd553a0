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

  /** Compares the rows of a roll-up with those that its source gives: counts, sums and extremes exactly, and quantiles within
    * epsilon.
    */
  protected def checkRows(stored: DataFrame, source: String, level: String, bucket: String): Unit = {
    val epsilon = 0.02
    val expected = sql(
      s"SELECT $bucket AS bucket, service, count(*) AS n, count(latency_ms) AS c, sum(latency_ms) AS s, min(latency_ms) AS low, " +
        s"max(latency_ms) AS high, array_sort(collect_list(latency_ms)) AS measured FROM $source GROUP BY ALL"
    )
    val found = stored.where(stored("level") === level)
    assertEquals(found.count(), expected.count(), s"rows of level $level")
    expected.createOrReplaceTempView("expected_rows")
    found.createOrReplaceTempView("found_rows")
    val pairs = sql(
      "SELECT e.*, f.rows, f.latency_count, f.latency_sum, f.latency_min, f.latency_max, " +
        "sketch_count(f.latency) AS held, sketch_quantile(f.latency, 0.9D) AS p90, sketch_rank_error(f.latency) AS error " +
        "FROM expected_rows e LEFT JOIN found_rows f ON e.bucket <=> f.bucket AND e.service <=> f.service"
    ).collect()
    pairs.foreach { row =>
      def of[A](name: String): A = row.getAs[A](name)
      assertEquals(of[Any]("rows"), of[Any]("n"), row.toString)
      assertEquals(of[Any]("latency_count"), of[Any]("c"), row.toString)
      assertEquals(of[Any]("latency_min"), of[Any]("low"), row.toString)
      assertEquals(of[Any]("latency_max"), of[Any]("high"), row.toString)
      val all = row.getSeq[Double](row.fieldIndex("measured"))
      if (all.nonEmpty) {
        assertEqualsDouble(of[Double]("latency_sum"), of[Double]("s"), 1e-6 * of[Double]("s"))
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
    val stored = spark.table(into)
    checkRows(stored, source, "1 hour", "date_trunc('hour', ts)")
    if (stored.where("level = '1 day'").limit(1).count() > 0)
      checkRows(stored, source, "1 day", "date_trunc('day', ts)")
  }
}
