package chronosketch.spark.warehouse

import java.sql.Date

import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.{DataFrame, Row}

/** Tests registered names of warehouses, and the views of a version. */
class WarehouseViewsSuite extends WarehouseTests {
  private def days(first: Int, count: Long): DataFrame =
    spark.range(count).selectExpr(s"date_add(DATE'2026-01-01', CAST(id AS INT) + $first) AS v", "id % 2 AS k")

  test("views show the manifest, including live batches, with SQL types") {
    val w = Warehouse.create(spark, folder(), "v", Seq("k"), epsilon = 0.1)
    w.append(days(0, 10))
    w.append(days(10, 20))
    new ManualStream(spark, w, days(0, 1)).take(0, days(40, 4))
    assertEquals(w.register("Days"), 3L)
    val runs =
      sql("SELECT first_step, last_step, steps, rows, min, max, size(files) FROM days_runs ORDER BY 1")
    assertEquals(
      runs.collect().toSeq,
      Seq(
        Row(1L, 1L, 1L, 10L, Date.valueOf("2026-01-01"), Date.valueOf("2026-01-10"), 1),
        Row(2L, 2L, 1L, 20L, Date.valueOf("2026-01-11"), Date.valueOf("2026-01-30"), 1)
      )
    )
    val live = sql("SELECT step, step_ends, rows, min, max FROM days_live").collect().toSeq
    assertEquals(
      live,
      Seq(Row(3L, null, 4L, Date.valueOf("2026-02-10"), Date.valueOf("2026-02-13")))
    )
    val groups = sql("SELECT last_step, is_live, k, rows FROM days_summaries ORDER BY 1, 3").collect().toSeq
    assertEquals(
      groups,
      Seq(
        Row(1L, false, 0L, 5L),
        Row(1L, false, 1L, 5L),
        Row(2L, false, 0L, 10L),
        Row(2L, false, 1L, 10L),
        Row(3L, true, 0L, 2L),
        Row(3L, true, 1L, 2L)
      )
    )
    // any reader can read the files that the view lists
    val files = sql("SELECT explode(files) FROM days_runs").collect().map(_.getString(0))
    assertEquals(spark.read.parquet(files.toIndexedSeq: _*).count(), 30L)
  }

  test("a condition on steps limits the summaries that are read") {
    val w = Warehouse.create(spark, folder(), "v", epsilon = 0.1)
    (0 until 4).foreach(n => w.append(days(n, 5)))
    w.register("four")
    val asked = sql("SELECT max(rows) FROM four_summaries WHERE last_step > 2 AND NOT is_live")
    val scans = asked.queryExecution.sparkPlan.collect { case scan: FileSourceScanExec => scan }
    assertEquals(scans.map(_.selectedPartitions.totalNumberOfFiles), Seq(2L))
  }

  test("a name takes precedence over a relative path, but not over one with a slash") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v")
    w.append(days(0, 3))
    assertEquals(condition(Warehouse.open(spark, "chronosketch_there")), "CHRONOSKETCH_WAREHOUSE_NOT_FOUND")
    w.register("chronosketch_there")
    assertEquals(Warehouse.open(spark, "CHRONOSKETCH_there").path, w.path)
    assertEquals(condition(Warehouse.open(spark, "./chronosketch_there")), "CHRONOSKETCH_WAREHOUSE_NOT_FOUND")
    assertEquals(
      condition(Warehouse.create(spark, "chronosketch_there", "v")),
      "CHRONOSKETCH_WAREHOUSE_EXISTS"
    )
    // another session knows the name if it has a setting for it
    val other = spark.newSession()
    assertEquals(
      condition(Warehouse.open(other, "chronosketch_there")),
      "CHRONOSKETCH_WAREHOUSE_NOT_FOUND"
    )
    other.conf.set("spark.chronosketch.warehouse.chronosketch_there", path)
    assertEquals(Warehouse.open(other, "chronosketch_there").path, w.path)
    assertEquals(condition(w.register("a name")), "CHRONOSKETCH_WAREHOUSE_ARGUMENT")
    assertEquals(
      condition(Warehouse.create(spark, folder(), "v", Seq("is_live"))),
      "CHRONOSKETCH_WAREHOUSE_COLUMN"
    )
  }
}
