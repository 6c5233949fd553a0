package chronosketch.spark.window

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** Tests the meaning of windows, on so few rows that they can be counted by hand. */
class WindowsSuite extends SparkSuite {
  private val minutes =
    "(SELECT id AS v, TIMESTAMP'2026-01-01 12:00:00' + id * INTERVAL '1' MINUTE AS t, id % 10 AS status FROM range(0, 121, 1, 3))"

  test("a window is given as an interval, as text, or as a constraint") {
    Seq(
      "'10 minutes'",
      "INTERVAL '10' MINUTE",
      "INTERVAL 10 MINUTES",
      "make_dt_interval(0, 0, 10)",
      "within_last('10 minutes')",
      "within_last(INTERVAL '10' MINUTE)",
      "among_last(10)",
      "within_last('10 minutes') OR among_last(3)",
      "within_last('1 day') AND among_last(10)"
    ).foreach(w =>
      assertEquals(
        one(s"SELECT approx_window_quantile(v, t, array(0, 1), $w) FROM $minutes"),
        Seq(111L, 120L),
        w
      )
    )
  }

  test("conditions narrow a window, or replace it") {
    def ask(w: String): Any = one(s"SELECT approx_window_quantile(v, t, array(0, 1), $w) FROM $minutes")
    assertEquals(ask("within_last('20 minutes') AND status >= 8"), Seq(108L, 119L))
    assertEquals(ask("within_last('20 minutes') AND status >= 8 AND status < 9"), Seq(108L, 118L))
    assertEquals(ask("within_last('2 minutes') OR status = 5 AND within_last('30 minutes')"), Seq(95L, 120L))
    assertEquals(ask("within_last('2 minutes') OR v = 7"), Seq(7L, 120L))
    assertEquals(ask("among_last(20) AND NOT status >= 8"), Seq(101L, 120L).updated(0, 101L))
    assertEquals(ask("v < 50"), Seq(0L, 49L))
    assertEquals(ask("within_last('20 minutes') AND v < 50"), null)
    assertEquals(ask("within_last('20 minutes') AND NULL > 50"), null)
  }

  test("windows end at as_of, and later rows do not count") {
    assertEquals(
      one(
        s"SELECT approx_window_quantile(v, t, array(0, 1), '10 minutes', as_of => TIMESTAMP'2026-01-01 13:00:30') FROM $minutes"
      ),
      Seq(51L, 60L)
    )
    assertEquals(
      one(
        s"SELECT approx_window_quantile(v, t, 0.5, '10 minutes', as_of => TIMESTAMP'2020-01-01') FROM $minutes"
      ),
      null
    )
    assertEquals(
      one(s"SELECT approx_window_quantile(v, t, 1, '10 minutes', as_of => NULL) FROM $minutes"),
      120L
    )
  }

  test("calls on the same rows share one sketch, together with Spark's own functions") {
    val text =
      s"""SELECT v % 3 AS k, approx_window_quantile(v, t, 1, '10 minutes') AS a, count(*) AS n,
         |approx_window_quantile(v, t, 0, among_last(4)) AS b, avg(v) AS m, approx_quantile(v, 0.5) AS q,
         |sketch_count(sketch_window(window_sketch_agg(v, t), '30 minutes')) AS c
         |FROM $minutes GROUP BY 1 ORDER BY 1""".stripMargin
    assertEquals(
      rows(text),
      Seq(
        Row(0L, 120L, 41L, 111L, 60.0, 60L, 10L),
        Row(1L, 118L, 40L, 109L, 59.5, 58L, 10L),
        Row(2L, 119L, 40L, 110L, 60.5, 59L, 10L)
      )
    )
    val plan = sql(text).queryExecution.executedPlan.toString
    assert(
      "window sketch".r.findAllIn(plan.linesIterator.find(_.contains("SketchAggregate")).get).size == 1,
      plan
    )
    assert(plan.contains("within_last('10 minutes')"), plan)
  }

  test("a stored sketch answers windows, with filters, and merges") {
    spark.sql(
      s"SELECT v % 4 AS k, window_sketch_agg(v, t, filters => map('high', status >= 8, 'odd', v % 2 = 1)) AS s FROM $minutes GROUP BY 1"
    ).createOrReplaceTempView("stored")
    def ask(call: String): Any = one(s"SELECT $call FROM (SELECT sketch_merge_agg(s) AS s FROM stored)")
    assertEquals(ask("sketch_count(s)"), 121L)
    assertEquals(ask("sketch_quantile(sketch_window(s, '10 minutes'), array(0, 1), 'int')"), Seq(111, 120))
    assertEquals(ask("sketch_count(sketch_window(s, within_last('20 minutes') AND passing('high')))"), 4L)
    assertEquals(
      ask("sketch_count(sketch_window(s, within_last('20 minutes') AND NOT passing('high')))"),
      16L
    )
    assertEquals(
      ask(
        "sketch_min(sketch_window(s, among_last(10) AND passing('odd') OR passing('high') AND within_last('40 minutes')))"
      ),
      88.0
    )
    assertEquals(
      ask("sketch_count_bounds(sketch_window(s, '10 minutes', as_of => TIMESTAMP'2026-01-01 13:00:00'))"),
      Row(10L, 10L)
    )
    assertEquals(
      ask("struct(sketch_describe(s).family, sketch_describe(s).time_type, sketch_describe(s).filters)"),
      Row("window sketch", "TIMESTAMP", Seq("high", "odd"))
    )
    assertEquals(ask("sketch_describe(sketch_window(s, '10 minutes')).family"), "window")
    assertEquals(ask("is_sketch(sketch_window(s, '10 minutes'))"), true)
    assertEquals(
      ask("sketch_count(sketch_merge(sketch_window(s, '10 minutes'), sketch_window(s, '5 minutes')))"),
      15L
    )
  }
}
