package chronosketch.spark.plans

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.TPCDSSchema
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.classic.SparkSession

/** The tables and queries of a benchmark.
  *
  * @param database where its tables are
  * @param tables   the name of each, and what CREATE TABLE says of it
  * @param queries  by name
  */
final case class Workload(database: String, tables: Map[String, String], queries: Seq[(String, String)]) {

  /** Creates the tables without rows. Their statistics say that they have some, so that joins are of all kinds. */
  def create(session: SparkSession): Unit = {
    session.sql(s"CREATE DATABASE $database")
    val catalog = session.sharedState.externalCatalog
    tables.foreach { case (table, definition) =>
      session.sql(s"CREATE TABLE $database.$table $definition")
      val bytes = Workload.bytes(table)
      val statistics = CatalogStatistics(sizeInBytes = bytes, rowCount = Some(BigInt(bytes / 100)))
      catalog.alterTableStats(database, table, Some(statistics))
    }
  }

  def drop(session: SparkSession): Unit = {
    session.sql(s"DROP DATABASE $database CASCADE")
    ()
  }
}

object Workload {

  /** TPC-DS: the queries and tables of Spark's own tests, which the build takes out of their jar. */
  lazy val TpcDs: Workload = Workload("tpcds", TpcDsTables.definitions, queries("tpcds"))

  /** TPC-H, with Spark's texts of the queries. */
  lazy val TpcH: Workload = Workload("tpch", TpcHTables.definitions, queries("tpch"))

  /** Aggregations and windows of the kinds that our rules look at, with functions of Spark's. */
  lazy val OurShapes: Workload = Workload(
    "shapes",
    Map("hits" -> "(host STRING, site STRING, ts TIMESTAMP, v BIGINT, w DOUBLE) USING parquet"),
    Seq(
      "sliding rows" -> "SELECT sum(v) OVER (PARTITION BY host ORDER BY ts ROWS 99 PRECEDING), max(w) OVER (PARTITION BY host ORDER BY ts ROWS 99 PRECEDING) FROM hits",
      "sliding rows without a partition" -> "SELECT avg(v) OVER (ORDER BY ts ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING) FROM hits",
      "sliding range" -> "SELECT count(v) OVER (PARTITION BY host, site ORDER BY ts RANGE INTERVAL 1 HOUR PRECEDING) FROM hits",
      "percentiles" -> "SELECT host, percentile(w, 0.5), percentile_approx(v, 0.9), median(w), approx_count_distinct(site) FROM hits GROUP BY host",
      "sketches" -> "SELECT host, kll_sketch_agg_bigint(v), hll_sketch_agg(site) FROM hits GROUP BY host",
      "within group" -> "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY w) FROM hits",
      "cube" -> "SELECT host, site, sum(v), max(w) FROM hits GROUP BY CUBE (host, site)",
      "rollup of distinct values" -> "SELECT host, site, count(DISTINCT v) FROM hits GROUP BY ROLLUP (host, site)",
      "hopping windows" -> "SELECT host, window.start, sum(v), count(*) FROM hits GROUP BY host, window(ts, '1 hour', '5 minutes')",
      "tumbling windows" -> "SELECT window, max(v) FROM hits GROUP BY window(ts, '1 hour')",
      "sessions" -> "SELECT session_window, max(v) FROM hits GROUP BY session_window(ts, '1 hour')",
      "bytes" -> "SELECT octet_length(b), b = X'00' FROM (SELECT host, first(CAST(site AS BINARY)) AS b FROM hits GROUP BY host)",
      "a table function" -> "SELECT id, count(*) FROM range(10) GROUP BY id",
      "a lateral view" -> "SELECT e, sum(v) FROM hits LATERAL VIEW explode(split(site, ',')) AS e GROUP BY e",
      "a pivot" -> "SELECT * FROM (SELECT host, site, v FROM hits) PIVOT (sum(v) FOR site IN ('a', 'b'))",
      "a recursive table" -> "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) FROM r"
    )
  )

  private val Facts = Set("inventory", "lineitem", "orders", "partsupp")
  private val Large = Set("item", "part", "supplier")

  /** Large tables are joined by sorting, and small ones are broadcast. The largest ones get runtime filters, too. */
  private def bytes(table: String): Long =
    if (Facts(table) || table.endsWith("_sales") || table.endsWith("_returns")) 20000000000L
    else if (Large(table) || table.startsWith("customer")) 100000000L
    else 1000000L

  private def queries(folder: String): Seq[(String, String)] = {
    val files = Option(getClass.getClassLoader.getResource(folder)).map(url => Paths.get(url.toURI))
      .getOrElse(throw new IllegalStateException(s"the build has unpacked no queries of $folder"))
    Using.resource(Files.list(files))(_.iterator.asScala.toSeq).sortBy(number).map { file =>
      file.getFileName.toString.stripSuffix(".sql") -> Files.readString(file)
    }
  }

  private def number(file: Path): (Int, String) = {
    val name = file.getFileName.toString
    (name.filter(_.isDigit).toInt, name)
  }
}

/** Exposes the tables that Spark's tests of TPC-DS have. */
private object TpcDsTables extends TPCDSSchema {
  def definitions: Map[String, String] = tableColumns.map { case (table, columns) =>
    val partitions = tablePartitionColumns.get(table).map(_.mkString("PARTITIONED BY (", ", ", ")"))
    table -> s"($columns) USING parquet ${partitions.getOrElse("")}"
  }
}

/** The tables of TPC-H, from its public specification. */
private object TpcHTables {
  private val columns = Map(
    "region" -> "r_regionkey BIGINT, r_name STRING, r_comment STRING",
    "nation" -> "n_nationkey BIGINT, n_name STRING, n_regionkey BIGINT, n_comment STRING",
    "part" -> ("p_partkey BIGINT, p_name STRING, p_mfgr STRING, p_brand STRING, p_type STRING, p_size INT, " +
      "p_container STRING, p_retailprice DECIMAL(12, 2), p_comment STRING"),
    "supplier" -> ("s_suppkey BIGINT, s_name STRING, s_address STRING, s_nationkey BIGINT, s_phone STRING, " +
      "s_acctbal DECIMAL(12, 2), s_comment STRING"),
    "partsupp" -> "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INT, ps_supplycost DECIMAL(12, 2), ps_comment STRING",
    "customer" -> ("c_custkey BIGINT, c_name STRING, c_address STRING, c_nationkey BIGINT, c_phone STRING, " +
      "c_acctbal DECIMAL(12, 2), c_mktsegment STRING, c_comment STRING"),
    "orders" -> ("o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus STRING, o_totalprice DECIMAL(12, 2), o_orderdate DATE, " +
      "o_orderpriority STRING, o_clerk STRING, o_shippriority INT, o_comment STRING"),
    "lineitem" -> ("l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT, l_quantity DECIMAL(12, 2), " +
      "l_extendedprice DECIMAL(12, 2), l_discount DECIMAL(12, 2), l_tax DECIMAL(12, 2), l_returnflag STRING, l_linestatus STRING, " +
      "l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, l_shipinstruct STRING, l_shipmode STRING, l_comment STRING")
  )

  def definitions: Map[String, String] = columns.map { case (table, all) => table -> s"($all) USING parquet" }
}
