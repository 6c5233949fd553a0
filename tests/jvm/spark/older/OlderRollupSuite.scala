package chronosketch.spark.older

import chronosketch.spark.rollup.RollupTests

/** Tests that roll-ups of an older version are read, and go on. */
class OlderRollupSuite extends RollupTests {

  /** A table of the older version. */
  private def table(name: String): String = {
    val data = OlderData.copy("rollup")
    sql(s"CREATE TABLE ${dropped(name)} USING delta LOCATION 'file:${data.resolve(name)}'")
    name
  }

  private def rowsOf(from: Long, until: Long): String =
    "SELECT timestamp_seconds(1767225600 + (id * 7919) % 259200) AS ts, nullif(concat('s', id % 4), 's3') AS service, " +
      s"nullif((id * 37) % 101, 50) * 1.5D AS latency_ms FROM range($from, $until)"

  test("a roll-up follows its table on") {
    val (source, rolled) = (table("older_requests"), table("older_rolled"))
    checkRollup(rolled, source)
    assert(!follow(source, rolled, hourAndDay).getAs[Boolean]("is_new"))
    insert(source, 400, 600)
    sql(s"DELETE FROM $source WHERE latency_ms > 140")
    assert(follow(source, rolled, hourAndDay).getAs[Boolean]("is_new"))
    checkRollup(rolled, source)
    call(s"rebuild('$rolled')")
    checkRollup(rolled, source)
  }

  test("a roll-up of a stream knows its batches, and takes the next one") {
    val (source, fed) = (table("older_requests"), table("older_fed"))
    def add(number: Long): Boolean = {
      sql(rowsOf(number * 200, number * 200 + 200)).createOrReplaceTempView("arriving")
      call(
        s"rollup_batch('arriving', '$fed', batch => $number, query => 'q', time => 'ts', by => array('service'), " +
          s"values => map('latency', 'latency_ms'), epsilon => 0.02, $hourAndDay)"
      ).getAs[Boolean]("is_new")
    }
    checkRollup(fed, source)
    assert(!add(1))
    assert(add(2))
    sql(s"DELETE FROM $source")
    insert(source, 0, 600)
    checkRollup(fed, source)
  }
}
