package chronosketch.spark.history.following

import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import chronosketch.spark.SparkSuite
import chronosketch.spark.following.FollowingSuite

/** The base of suites about histories: CALL, and the values of each version that a history is compared with. */
abstract class HistoryTests extends FollowingSuite {

  override def beforeEach(context: BeforeEach): Unit = {
    super.beforeEach(context)
    SparkSession.setActiveSession(spark)
    spark.conf.set("spark.sql.catalog.chronosketch", "chronosketch.spark.warehouse.call.WarehouseCatalog")
  }

  override def afterEach(context: AfterEach): Unit = {
    SparkSession.setActiveSession(SparkSuite.session)
    super.afterEach(context)
  }

  /** Creates a source, and drops the history that it had. */
  protected def source(table: String, properties: String = Feed): String = {
    run(s"DROP TABLE IF EXISTS ${table}_history")
    create(table, properties)
    table
  }

  protected def insert(table: String, amounts: Int*): Unit =
    run(
      s"INSERT INTO $table (id, region, amount) VALUES ${amounts.map(a => s"($a, 'r1', $a)").mkString(", ")}"
    )

  protected def plan(table: String): FollowPlan =
    FollowPlan(table, s"${table}_history", "amount", Seq("region"), epsilon = 0.05)

  /** Follows with SQL: the versions of the step that was made, or None if there was nothing new. */
  protected def follow(table: String, more: String = ""): Option[(Long, Long)] =
    sql(
      s"CALL chronosketch.follow(source => '$table', into => '${table}_history', value => 'amount', " +
        s"by => array('region'), epsilon => 0.05$more)"
    ).collect().map(row => (row.getLong(0), row.getLong(1))).headOption

  private val phis = Seq(0.0, 0.1, 0.5, 0.99, 1.0)

  /** Compares some versions of a history with time travel: the bounds hold the values that each group had. */
  protected def checkVersions(table: String, versions: Long*): Unit = versions.foreach { version =>
    checkVersion(table, version, sql(s"SELECT * FROM history_at('${table}_history', $version)"))
  }

  protected def checkVersion(table: String, version: Long, sketches: DataFrame): Unit = {
    val truth = sql(
      s"SELECT region, sort_array(collect_list(CAST(amount AS DOUBLE))) FROM $table VERSION AS OF $version " +
        "WHERE amount IS NOT NULL GROUP BY region"
    ).collect().map(row => row.getString(0) -> row.getSeq[Double](1)).toMap
    val found = sketches.selectExpr(
      "region",
      "sketch_count_bounds(sketch)",
      s"sketch_quantile_bounds(sketch, array(${phis.mkString(", ")}), 'double')",
      "sketch_rank_error(sketch)"
    ).collect().map(row => row.getString(0) -> row).toMap
    assertEquals(found.keySet, truth.keySet, s"version $version")
    truth.foreach { case (region, values) =>
      val row = found(region)
      def ends(bounds: Row): (Double, Double) =
        (bounds.getAs[Number]("low").doubleValue, bounds.getAs[Number]("high").doubleValue)
      val (fewest, most) = ends(row.getStruct(1))
      assert(fewest <= values.size && values.size <= most, s"$version $row")
      assert(row.getDouble(3) <= 0.05, s"$version $row")
      phis.zip(row.getSeq[Row](2)).foreach { case (phi, bounds) =>
        val value = values(math.max(1, math.ceil(phi * values.size - 1e-9).toInt) - 1)
        val (low, high) = ends(bounds)
        assert(low <= value && value <= high, s"version $version, phi $phi, $value: $row")
      }
    }
  }
}
