package chronosketch.spark.older

import org.apache.spark.sql.DataFrame

import chronosketch.spark.warehouse.{Warehouse, WarehouseTests}

/** Tests that warehouses of older versions answer, and take rows. */
class OlderWarehouseSuite extends WarehouseTests {
  private val by = Seq("host")

  /** The rows of a range, as write.py has them. */
  private def numbers(until: Long): DataFrame = numbers(0, until)
  private def numbers(from: Long, until: Long): DataFrame =
    spark.range(from, until).selectExpr(
      "concat('h', id % 3) AS host",
      "CAST(pmod(id * 7919, 1009) AS INT) AS v"
    )

  test("a warehouse of runs answers, knows its writer, and goes on") {
    val w = Warehouse.open(spark, OlderData.copy("warehouse").toString)
    check(w.quantile(phis), truth(numbers(1200), by, "v"), 1)
    check(w.quantile(phis, isAccurate = false), truth(numbers(1200), by, "v"), 1)
    assert(w.state.runs.exists(_.level > 0), "no runs were merged")
    // the older version has taken this batch
    assert(!w.append(numbers(900, 1200), batch = Some("w" -> 3L)).isNew)
    (4L to 7L).foreach { n =>
      assert(w.append(numbers(n * 300, n * 300 + 300), batch = Some("w" -> n)).isNew)
    }
    check(w.quantile(phis), truth(numbers(2400), by, "v"), 1)
    w.vacuum(0)
    check(w.quantile(phis), truth(numbers(2400), by, "v"), 1)
  }

  test("a warehouse with an open step and a limit in bytes answers, and goes on") {
    val w = Warehouse.open(spark, OlderData.copy("live_warehouse").toString)
    assertEquals(w.state.live.map(_.rows).sum, 600L)
    val doubt: Seq[Any] => Long = _ => 600L
    check(w.quantile(phis), truth(numbers(900), by, "v"), 1, doubt)
    assert(w.append(numbers(900, 1200)).isNew)
    check(w.quantile(phis), truth(numbers(1200), by, "v"), 1, doubt)
  }
}
