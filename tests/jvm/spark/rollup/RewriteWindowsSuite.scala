package chronosketch.spark.rollup

/** Tests roll-ups that answer `window(time, size)` and sketches. */
class RewriteWindowsSuite extends RewriteTests {

  test("windows that do not overlap, as Spark's window makes them") {
    val (source, _) = rolled("windows")
    def windows(of: String, isRewritten: Boolean = true): Unit = {
      val text = s"SELECT window($of), service, $all FROM $source"
      checked(s"$text GROUP BY 1, 2", 2, isRewritten)
      checked(s"SELECT window($of).start, $all FROM $source GROUP BY window($of)", 1, isRewritten)
    }
    windows("ts, '1 hour'")
    windows("ts, '2 hours'")
    windows("ts, '3 days'")
    windows("ts, '7 hours', '7 hours', '2 hours'")
    withConf("spark.sql.session.timeZone" -> "Asia/Kolkata")(windows("ts, '1 day'"))
    val within = "ts >= '2026-01-01 03:30:00' AND ts < '2026-01-03 04:45:10'"
    val edges = checked(
      s"SELECT window(ts, '6 hours') AS w, $all FROM $source WHERE $within GROUP BY w",
      1,
      isRewritten = true
    )
    assert(edges.contains("2 ranges of time"), edges)
    insert(source, 500, 620)
    windows("ts, '1 hour'")
    for (of <- Seq("'30 minutes'", "'90 minutes'", "'1 hour', '1 hour', '10 minutes'"))
      declined(s"SELECT window(ts, $of), count(*) FROM $source GROUP BY 1", "no level")
    compared(s"SELECT window(ts, '2 hours', '1 hour'), $all FROM $source GROUP BY 1", 1)
    compared(s"SELECT window(ts + INTERVAL 30 MINUTES, '1 hour'), $all FROM $source GROUP BY 1", 1)
    compared(s"SELECT session_window(ts, '10 minutes'), $all FROM $source GROUP BY 1", 1)
  }

  test("windows of buckets that begin in a time zone, and of days") {
    for ((zone, i) <- Seq("Asia/Kolkata", "+01:00", "Europe/Berlin").zipWithIndex) {
      val (source, _) =
        rolled(s"zoned_windows_$i", s"levels => array('1 hour', '1 day', '7 days'), zone => '$zone'")
      for (
        of <- Seq(
          "'1 hour'",
          "'1 day'",
          "'1 hour', '1 hour', '30 minutes'",
          "'7 days'",
          "'7 days', '7 days', '4 days'",
          "'14 days'"
        )
      )
        compared(s"SELECT window(ts, $of), $all FROM $source GROUP BY 1", 1)
    }
    val (source, _) = rolled("weeks", "bucket => '7 days'")
    // windows of weeks begin on Thursdays, as 1970 does
    declined(s"SELECT window(ts, '7 days'), count(*) FROM $source GROUP BY 1", "no level")
    checked(
      s"SELECT window(ts, '7 days', '7 days', '4 days'), $all FROM $source GROUP BY 1",
      1,
      isRewritten = true
    )
  }

  test("a roll-up that groups by windows has dropped rows without a time, and answers nothing") {
    val (source, into) = (requests("dropping_source"), dropped("dropping_into"))
    sql(s"INSERT INTO $source VALUES (NULL, 's1', 7)")
    val by = "array('service', 'window(ts, \"1 hour\").start AS hour')"
    val values = "values => map('latency', 'latency_ms'), epsilon => 0.02, bucket => '1 hour'"
    call(s"rollup('$source', '$into', time => 'ts', by => $by, $values)")
    compared(s"SELECT service, $all FROM $source GROUP BY service", 1)
    compared(s"SELECT $all FROM $source", 0)
  }

  test("sketches, which are asked and merged like those of rows") {
    val (source, _) = rolled("sketches")
    insert(source, 500, 620)
    for (
      where <- Seq(
        "true",
        "ts >= '2026-01-01 03:30:00'",
        "ts >= '2027-01-01'",
        "service IS NULL AND latency_ms IS NULL"
      )
    ) {
      val sketch = s"SELECT quantile_sketch_agg(latency_ms, $epsilon) AS s FROM $source WHERE $where"
      val asked =
        "SELECT s IS NULL, sketch_count(s), sketch_count(sketch_merge(s, t)), sketch_rank_error(s) <= 0.02 " +
          s"FROM ($sketch), (SELECT quantile_sketch_agg(1D, 0.01) AS t)"
      val (found, answer) = on {
        val frame = sql(asked)
        if (!where.contains("latency_ms")) assert(plan(frame).contains("SketchRollup"), plan(frame))
        (frame.head(), one(s"SELECT sketch_quantile(s, 0.9D) FROM ($sketch)"))
      }
      assertEquals(found, sql(asked).head(), where)
      val values = sql(s"SELECT latency_ms FROM $source WHERE latency_ms IS NOT NULL AND $where ORDER BY 1")
        .collect().map(_.getDouble(0))
      if (values.isEmpty) assertEquals(answer, null)
      else {
        val (q, n, slack) = (answer.asInstanceOf[Double], values.length, epsilon * values.length)
        assert(
          values.count(_ < q) <= 0.9 * n + slack && values.count(_ <= q) >= 0.9 * n - slack,
          s"$where: $q of $n"
        )
      }
    }
    val groups = on(plan(sql(
      s"SELECT service, sketch_cdf(quantile_sketch_agg(latency_ms, $epsilon), 7D) FROM $source GROUP BY 1"
    )))
    assert(groups.contains("SketchRollup"), groups)
  }
}
