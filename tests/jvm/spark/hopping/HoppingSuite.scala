package chronosketch.spark.hopping

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.{col, lit}

/** Compares hopping windows from panes with Spark's own GROUP BY window(…), which copies each row into all of its windows. */
class HoppingSuite extends HoppingChecks {
  private val hops = Seq(
    ("10 minutes", "1 minute"),
    ("10 minutes", "10 minutes"),
    ("1 minute 30 seconds", "1 minute"),
    ("7 seconds", "3 seconds"),
    ("1 day 1 hour", "6 hours")
  )

  private val exact = Seq(
    "quantile_sketch_agg(v) AS s",
    "approx_quantile(v, array(0.5, 0.99)) AS q",
    "approx_quantile_bounds(v, 0.9) AS b",
    "approx_quantile(v, 0.5, frequency => n) FILTER (WHERE n > 1) AS weighted",
    "count(*) AS rows",
    "count(v) AS values",
    "sum(v) AS total",
    "min(v) AS least",
    "max(name) AS last",
    "avg(n) AS mean",
    "count(*) FILTER (WHERE v > 500) AS large",
    "sketch_quantile(quantile_sketch_agg(n), 0.5, 'int') + count(*) AS both"
  )

  hops.zipWithIndex.foreach { case ((size, slide), i) =>
    val others = if (i % 2 == 0) Nil else Seq("host", "n % 2 AS odd")
    test(
      s"windows of $size every $slide equal Spark's, by a key and by ${if (others.isEmpty) "none" else "two"}"
    ) {
      Seq(Seq("host"), others).foreach { by =>
        val keys = by.map(_.replaceAll(" AS .*", ""))
        if (by.length < 2) assert(check("bursts", size, slide, by, exact) > 10)
        else {
          val ours = sql(hopping("bursts", size, slide, by, exact)).drop("odd")
          val theirs = sql(sparks("bursts", size, slide, keys, exact)).drop("(n % 2)")
          assertEquals(texts(ours.collect()), texts(theirs.collect()))
        }
      }
    }
  }

  test("no rows, one row, and rows without a time") {
    sql("SELECT * FROM bursts WHERE false").createOrReplaceTempView("none")
    assertEquals(check("none", "10 minutes", "1 minute", Seq("host"), exact), 0)
    sql(
      "SELECT * FROM bursts WHERE ts IS NOT NULL LIMIT 1"
    ).localCheckpoint().createOrReplaceTempView("single")
    assertEquals(check("single", "10 minutes", "1 minute", Seq("host"), exact), 10)
    sql("SELECT * FROM bursts WHERE ts IS NULL").createOrReplaceTempView("timeless")
    assertEquals(check("timeless", "10 minutes", "1 minute", Nil, exact), 0)
  }

  test("a key with more panes than are read at once, and with gaps between panes") {
    sql(
      "SELECT 'one' AS host, timestamp_seconds(id + IF(id > 9000, 5000, 0)) AS ts, id % 97 AS v, 1 AS n, 'x' AS name FROM range(-3000, 12000) WHERE id % 50 < 40"
    ).createOrReplaceTempView("long")
    assert(check(
      "long",
      "12 seconds",
      "1 second",
      Seq("host"),
      Seq("quantile_sketch_agg(v) AS s", "count(*) AS n")
    ) > 15000)
  }

  test("more windows than one output batch, and rows whose windows are in several blocks") {
    sql("SELECT TIMESTAMP'2026-01-01 00:00:00.5' AS ts").createOrReplaceTempView("moment")
    val windows = hopping("moment", "30 hours", "1 second", Nil, Seq("count(*) AS n"))
    assertEquals(
      rows(
        s"SELECT count(*), count(DISTINCT window), min(n), max(n), min(window.start) = TIMESTAMP'2026-01-01' - INTERVAL '30' HOUR + INTERVAL '1' SECOND, max(window.end) = TIMESTAMP'2026-01-02 06:00:00' FROM ($windows)"
      ),
      Seq(Row(108000L, 108000L, 1L, 1L, true, true))
    )
  }

  // panes that are summarised themselves, and panes that keep all values while their windows have too many
  Seq("10 minutes", "2 minutes").foreach { slide =>
    test(s"summarised windows keep their certificate: slide=$slide") {
      sql("SELECT timestamp_seconds(id) AS ts, pmod(hash(id), 100000) AS v FROM range(0, 20000)")
        .createOrReplaceTempView("many")
      val ours = sql(hopping("many", "2 hours", slide, Nil, Seq("quantile_sketch_agg(v, 0.01) AS s")))
        .selectExpr(
          "window",
          "sketch_rank_error(s) AS e",
          "sketch_quantile_bounds(s, 0.9, 'int') AS b",
          "sketch_count(s) AS ours"
        )
      val theirs = sql(sparks(
        "many",
        "2 hours",
        slide,
        Nil,
        Seq("percentile_disc(0.9) WITHIN GROUP (ORDER BY v) AS q", "count(*) AS theirs")
      ))
      val joined = ours.join(theirs, "window").selectExpr(
        "e <= 0.01 AND ours = theirs AND b.low <= q AND q <= b.high AS holds",
        "e > 0 AS isSummarised"
      ).collect()
      assertEquals(joined.length.toLong, theirs.count())
      assert(joined.forall(_.getBoolean(0)))
      assert(joined.count(_.getBoolean(1)) > joined.length / 2)
    }
  }

  test("with and without adaptive execution, without generated code, above and below joins and views") {
    val asked = hopping("bursts", "10 minutes", "4 minutes", Seq("host"), exact)
    val truth = texts(sql(sparks("bursts", "10 minutes", "4 minutes", Seq("host"), exact)).collect())
    Seq(
      "spark.sql.adaptive.enabled",
      "spark.sql.codegen.wholeStage",
      "spark.chronosketch.aggregate.enabled"
    ).foreach { setting =>
      withConf(setting -> "false")(assertEquals(texts(rows(asked)), truth, setting))
    }
    withConf("spark.sql.codegen.factoryMode" -> "NO_CODEGEN")(assertEquals(
      texts(rows(asked)),
      truth
    ))
    sql(s"CREATE OR REPLACE TEMP VIEW windows AS $asked")
    assertEquals(texts(rows("SELECT * FROM windows")), truth)
    val twice = rows(
      "SELECT count(*), count(DISTINCT a.window) FROM windows a JOIN windows b USING (host, window) WHERE a.s = b.s"
    )
    val known = rows("SELECT count(*), count(DISTINCT window) FROM windows WHERE host IS NOT NULL")
    assertEquals(twice, known)
    val some = rows("SELECT * FROM windows WHERE host = 'host1' AND window.start > TIMESTAMP'1970-01-01'")
    assert(some.nonEmpty)
    assertEquals(
      texts(sql(
        "SELECT * FROM hopping_sketch(TABLE(SELECT * FROM (SELECT b.* FROM bursts b JOIN (SELECT DISTINCT host FROM bursts) USING (host))), event_time => 'ts', size => INTERVAL '10' MINUTE, slide => INTERVAL '4' MINUTE, by => array('host'), aggs => array('count(*) AS rows'))"
      ).collect()),
      texts(sql("SELECT host, window, rows FROM windows WHERE host IS NOT NULL").collect())
    )
  }

  test("hopping_sketch of a GROUP BY query without windows, in SQL and with data frames") {
    val truth = texts(sql(sparks(
      "bursts",
      "10 minutes",
      "4 minutes",
      Seq("host"),
      Seq("approx_quantile(v, 0.5) AS q", "count(*) AS theirs")
    )).collect())
    val grouped = "SELECT host, approx_quantile(v, 0.5) AS q, count(*) AS n FROM bursts GROUP BY host"
    val asked = s"SELECT * FROM chronosketch_hopping_sketch(TABLE($grouped), 'ts', '10 minutes', '4 minutes')"
    assertEquals(texts(sql(asked).collect()), truth)
    val frame = chronosketch.spark.tables.hopping_sketch(
      spark.table("bursts"),
      "ts",
      "10 minutes",
      "4 minutes",
      Seq(
        chronosketch.spark.functions.approx_quantile(col("v"), 0.5).as("q"),
        org.apache.spark.sql.functions.count(lit(1)).as("n")
      ),
      Seq(col("host"))
    )
    assertEquals(texts(frame.collect()), truth)
  }

  test("panes are shuffled once") {
    val whole = Seq("qlove_sketch_agg(v, ts, 0.5, 5) AS s")
    Seq(
      exact -> 1,
      exact.filterNot(_.startsWith("max(name)")) -> 1,
      Seq("count(*) AS n") -> 1,
      whole -> 2
    ).foreach {
      case (aggs, exchanges) =>
        val plan = withConf("spark.sql.adaptive.enabled" -> "false") {
          sql(hopping(
            "bursts",
            "10 minutes",
            "4 minutes",
            Seq("host"),
            aggs
          )).queryExecution.executedPlan.toString
        }
        assert(plan.contains("SketchHopping"), plan)
        assertEquals("Exchange hash".r.findAllIn(plan).length, exchanges, plan)
    }
  }

  test("a condition on keys is pushed down to the rows") {
    val asked = hopping("bursts", "10 minutes", "4 minutes", Seq("host"), Seq("count(*) AS n"))
    val some = s"SELECT * FROM ($asked) WHERE host = 'host1' AND n > 1"
    // exclude the rule that would evaluate the condition while the query is planned
    val plan = withConf(
      "spark.sql.optimizer.excludedRules" -> "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
    )(sql(some).queryExecution.optimizedPlan.toString)
    assert(plan.indexOf("host1", plan.indexOf("HoppingWindows")) >= 0, plan)
    val known = sql(asked).collect().filter(r => r.getString(0) == "host1" && r.getLong(2) > 1)
    assert(known.nonEmpty)
    assertEquals(texts(sql(some).collect()), texts(known))
  }

  test("windows of window sketches, of stored sketches and of qlove panes") {
    sql(
      "CREATE OR REPLACE TEMP VIEW stored AS SELECT host, date_trunc('MINUTE', ts) AS ts, quantile_sketch_agg(v) AS s, count(*) AS n FROM bursts WHERE ts IS NOT NULL GROUP BY ALL"
    )
    assert(check(
      "stored",
      "10 minutes",
      "4 minutes",
      Seq("host"),
      Seq("sketch_merge_agg(s) AS s", "sum(n) AS n")
    ) > 10)
    assert(check(
      "stored",
      "10 minutes",
      "4 minutes",
      Seq("host"),
      Seq("sketch_count(sketch_merge_agg(s) FILTER (WHERE n > 100)) AS none", "count(*) AS n")
    ) > 10)
    assert(check(
      "bursts",
      "10 minutes",
      "4 minutes",
      Seq("host"),
      Seq("sketch_quantile(sketch_window(window_sketch_agg(v, ts), '3 minutes'), 0.5) AS q", "count(*) AS n")
    ) > 10)
    assert(check(
      "bursts",
      "10 minutes",
      "4 minutes",
      Seq("host"),
      Seq("sketch_sum(sketch_window(window_moments_agg(v, ts), '3 minutes')) AS s", "count(*) AS n")
    ) > 10)
    assert(check(
      "bursts",
      "10 minutes",
      "4 minutes",
      Seq("host"),
      Seq(
        "approx_window_quantile(v, ts, array(0.5, 0.9), within_last('3 minutes') AND n > 1 OR among_last(2)) AS q",
        "approx_window_quantile(v, ts, 0.5, among_last(5)) AS of_five"
      )
    ) > 10)
    val panes = "qlove_sketch_agg(v, ts, array(0.5, 0.9), 5)"
    val ours = sql(hopping("bursts", "10 minutes", "4 minutes", Seq("host"), Seq(s"$panes AS s")))
    val pane =
      s"SELECT host, window.start AS ts, $panes AS s FROM bursts GROUP BY host, window(ts, '2 minutes')"
    val theirs =
      sql(sparks(s"($pane)", "10 minutes", "4 minutes", Seq("host"), Seq("sketch_merge_agg(s) AS s")))
    assertEquals(texts(ours.collect()), texts(theirs.collect()))
  }

  test("windows in many blocks, with panes from several tasks, equal Spark's") {
    sql(
      "SELECT id % 2 AS host, timestamp_seconds(id * 7 % 90001) AS ts, id % 97 AS v, 1 AS n, 'x' AS name FROM range(0, 20000, 1, 5)"
    ).createOrReplaceTempView("wide")
    Seq("30 seconds" -> "20 seconds", "5 minutes" -> "1 minute", "2 minutes" -> "2 minutes").foreach {
      case (size, slide) =>
        Seq(Nil, Seq("host")).foreach { by =>
          assert(check(
            "wide",
            size,
            slide,
            by,
            Seq("quantile_sketch_agg(v) AS s", "count(*) AS n", "avg(v) AS mean")
          ) > 600)
        }
    }
  }

  test("each structure gives the same windows") {
    def made(structure: String, size: String, slide: String, aggs: Seq[String] = exact) =
      sql(hopping("bursts", size, slide, Seq("host"), aggs).replaceAll(
        "\\)$",
        s", structure => '$structure')"
      ))
    for ((size, slide) <- hops) {
      val panes = made("panes", size, slide)
      val recomputed = made("expiration_list", size, slide)
      assertEquals(
        recomputed.schema.map(c => c.name -> c.dataType),
        panes.schema.map(c => c.name -> c.dataType)
      )
      assertEquals(texts(recomputed.collect()), texts(panes.collect()), s"$size $slide")
      def isOurs(structure: String) =
        made(structure, size, slide).queryExecution.executedPlan.toString.contains("SketchHopping")
      assert(isOurs("Panes") && !isOurs("expiration_list"), s"$size $slide")
      assertEquals(isOurs("auto"), size != slide, s"$size $slide")
    }
    // expiration_list works on rows instead of panes, so it supports any aggregate
    assertEquals(
      made("expiration_list", "10 minutes", "5 minutes", Seq("count(DISTINCT v) AS d")).count() > 0,
      true
    )
  }
}
