package chronosketch.spark.rollup

import scala.util.Random

import chronosketch.Cases
import chronosketch.spark.rollup.rewrite.RewriteConf

/** Tests queries that roll-ups answer, and those that they leave to Spark. */
class RewriteSuite extends RewriteTests {
  test("whole buckets, edges, groups and NULLs") {
    val (source, _) = rolled("edges")
    val whole = checked(s"SELECT service, $all FROM $source GROUP BY service", 1, isRewritten = true)
    assert(whole.contains("levels=[1 day]") && whole.contains("time from roll-up=all"), whole)
    checked(s"SELECT $all FROM $source", 0, isRewritten = true)
    checked(s"SELECT date_trunc('hour', ts), $all FROM $source GROUP BY 1", 1, isRewritten = true)
    checked(s"SELECT date_trunc('day', ts), service, $all FROM $source GROUP BY 1, 2", 2, isRewritten = true)
    checked(
      s"SELECT date_trunc('week', ts), $all FROM $source WHERE ts IS NOT NULL GROUP BY 1",
      1,
      isRewritten = true
    )
    val edges = checked(
      s"SELECT service, $all FROM $source WHERE ts >= '2026-01-01 03:30:00' AND ts < '2026-01-03 04:45:10' GROUP BY service",
      1,
      isRewritten = true
    )
    assert(edges.contains("levels=[1 hour, 1 day]") && edges.contains("2 ranges of time"), edges)
    // a scan of both levels would read the hours of all days between
    for (level <- Seq("1 hour", "1 day"))
      assertEquals(s"PartitionFilters: \\[[^\\]]*\\(level#\\d+ = $level\\)".r.findAllIn(edges).size, 1, edges)
    checked(
      s"SELECT $all FROM $source WHERE ts BETWEEN '2026-01-02' AND '2026-01-02 23:59:59' AND service = 's1'",
      0,
      isRewritten = true
    )
    checked(
      s"SELECT upper(service), $all FROM $source WHERE coalesce(service, 'none') <> 's1' GROUP BY 1",
      1,
      isRewritten = true
    )
    checked(
      s"SELECT service, $all FROM $source WHERE CAST(ts AS DATE) = DATE'2026-01-02' GROUP BY service",
      1,
      isRewritten = true
    )
    checked(
      s"SELECT service, $all FROM $source WHERE ts >= '2027-01-01' GROUP BY service",
      1,
      isRewritten = true
    )
    checked(s"SELECT $all FROM $source WHERE ts >= '2027-01-01'", 0, isRewritten = true)
    checked(
      s"SELECT 1, count(service) + 1, max(latency_ms) * 2 FROM $source HAVING count(*) > 3",
      1,
      isRewritten = true
    )
  }

  test("buckets of a minute, and of twenty seconds") {
    for ((bucket, i) <- Seq("1 minute", "20 seconds").zipWithIndex) {
      val (source, _) = rolled(s"minutes_$i", s"levels => array('$bucket', '1 hour')")
      checked(
        s"SELECT date_trunc('minute', ts), service, $all FROM $source GROUP BY 1, 2",
        2,
        isRewritten = true
      )
      checked(
        s"SELECT date_trunc('MINUTE', ts), $all FROM $source WHERE ts >= '2026-01-01 03:30:00' AND ts < '2026-01-01 04:45:10' GROUP BY 1",
        1,
        isRewritten = true
      )
      withConf("spark.sql.session.timeZone" -> "Asia/Kolkata")(
        checked(s"SELECT date_trunc('minute', ts), $all FROM $source GROUP BY 1", 1, isRewritten = true)
      )
    }
    val (source, _) = rolled("minutes_odd", "bucket => '90 seconds'")
    declined(s"SELECT date_trunc('minute', ts), count(*) FROM $source GROUP BY 1", "no level")
  }

  test("what a roll-up can't answer is left to Spark, and EXPLAIN says why") {
    val (source, _) = rolled("declines")
    declined(s"SELECT ${quantile(0.01)} FROM $source", "epsilon")
    declined(
      s"SELECT approx_quantile(latency_ms, 0.5, 0.02, interpolation => 'linear') FROM $source",
      "interpolation"
    )
    for (more <- Seq("sum => true", "tail => 'high'", "interpolation => 'linear'", "frequency => 2")) {
      val function =
        if (more.startsWith("inter")) "approx_quantile(latency_ms, 0.5" else "quantile_sketch_agg(latency_ms"
      declined(s"SELECT $function, epsilon => 0.02D, $more) FROM $source", "it answers approx_quantile")
    }
    declined(
      s"SELECT approx_quantile(latency_ms, 0.99, 0.02, tail => 'high') FROM $source",
      "it asks for the tail 'high', and the roll-up has none"
    )
    declined(s"SELECT count(DISTINCT latency_ms), count(*) FROM $source", "")
    declined(s"SELECT count(*) FILTER (WHERE service = 's1') FROM $source", "FILTER")
    declined(s"SELECT count(*) FROM $source WHERE latency_ms > 3", "condition")
    declined(s"SELECT count(*) FROM $source WHERE ts > '2026-01-02' OR service = 's1'", "condition")
    declined(s"SELECT ts, count(*) FROM $source GROUP BY ts", "groups by")
    declined(s"SELECT date_trunc('minute', ts), count(*) FROM $source GROUP BY 1", "no level")
    declined(s"SELECT date_trunc('second', ts), count(*) FROM $source GROUP BY 1", "groups by")
    declined(s"SELECT stddev(latency_ms) FROM $source", "does not answer")
    declined(s"SELECT max(ts) FROM $source", "not a value")
    declined(s"SELECT sum(latency_ms + 1) FROM $source", "not a value")
    declined(
      s"SELECT count(*) FROM $source WHERE ts >= '2026-01-01 01:10:00' AND ts < '2026-01-01 01:20:00'",
      "no whole bucket"
    )
    declined(s"SELECT percentile_approx(latency_ms, 0.9) FROM $source", "percentile_approx")
    withConf("spark.sql.session.timeZone" -> "Asia/Kolkata") {
      declined(s"SELECT date_trunc('day', ts), count(*) FROM $source GROUP BY 1", "no level")
      declined(s"SELECT date_trunc('hour', ts), count(*) FROM $source GROUP BY 1", "no level")
    }
    declined(s"SELECT count(latency_ms) FROM $source WHERE rand() < 0.5", "not deterministic")
  }

  test("a tail, if the roll-up's sketches promise it, together with rows that it has not seen") {
    val (source, _) = rolled("tails", s"$hourAndDay, tail => 'both'")
    insert(source, 500, 620)
    val values =
      sql(
        s"SELECT latency_ms FROM $source WHERE latency_ms IS NOT NULL ORDER BY 1"
      ).collect().map(_.getDouble(0))
    for ((tail, phi) <- Seq("high" -> 0.98, "high" -> 0.999, "low" -> 0.02, "both" -> 0.5, "both" -> 0.97)) {
      val rank = math.max(1, math.ceil(phi * values.length).toInt)
      val above = values.length - rank + 1
      val near = Map("high" -> above, "low" -> rank, "both" -> math.min(above, rank))(tail)
      val answer = on {
        val frame = sql(s"SELECT approx_quantile(latency_ms, $phi, 0.02, tail => '$tail') FROM $source")
        assert(plan(frame).contains("SketchRollup") && plan(frame).contains("tail=both"), plan(frame))
        frame.head().getDouble(0)
      }
      val off = math.max(values.count(_ < answer) + 1 - rank, rank - values.count(_ <= answer))
      assert(off <= 0.02 * near, s"$tail, phi $phi: $off ranks off")
    }
    checked(s"SELECT service, $all FROM $source GROUP BY service", 1, isRewritten = true)
    val (other, _) = rolled("one_tail", s"$hourAndDay, tail => 'HIGH'")
    declined(
      s"SELECT approx_quantile(latency_ms, 0.5, 0.02, tail => 'both') FROM $other",
      "it asks for the tail 'both', and the roll-up has 'high'"
    )
  }

  test("percentile_approx, if its setting is on and its accuracy allows it") {
    val (source, _) = rolled("percentiles")
    withConf(RewriteConf.PercentileApprox -> "true") {
      val text = s"SELECT service, percentile_approx(latency_ms, 0.9, 50) FROM $source GROUP BY service"
      val found = on {
        val frame = sql(text); assert(plan(frame).contains("SketchRollup"), plan(frame)); frame.collect()
      }
      compare(
        text,
        sql(s"SELECT service, array_sort(collect_list(latency_ms)) FROM $source GROUP BY service").collect(),
        found,
        1
      )
      declined(s"SELECT percentile_approx(latency_ms, 0.9, 51) FROM $source", "epsilon")
    }
  }

  test("versions that the roll-up has not seen, time travel, and a replaced table") {
    val (source, into) = rolled("versions")
    insert(source, 1000, 1100)
    sql(s"INSERT INTO $source VALUES (NULL, 's2', 9)")
    val text = s"SELECT service, $all FROM $source GROUP BY service"
    val explained = checked(text, 1, isRewritten = true)
    assert(explained.contains("versions 3 to 4"), explained)
    checked(
      s"SELECT service, $all FROM $source WHERE ts >= '2026-01-01 03:30:00' GROUP BY service",
      1,
      isRewritten = true
    )
    checked(s"SELECT service, $all FROM $source VERSION AS OF 2 GROUP BY service", 1, isRewritten = true)
    checked(s"SELECT service, $all FROM $source VERSION AS OF 3 GROUP BY service", 1, isRewritten = true)
    checked(s"SELECT service, $all FROM $source VERSION AS OF 1 GROUP BY service", 1, isRewritten = false)
    declined(s"SELECT count(latency_ms) FROM $source VERSION AS OF 1", "is of version 2")
    sql(s"DELETE FROM $source WHERE service = 's1' AND ts < '2026-01-01 05:00:00'")
    checked(text, 1, isRewritten = false)
    declined(s"SELECT count(latency_ms) FROM $source", "appended")
    call(s"refresh('$into')")
    checked(text, 1, isRewritten = true)
    Seq(
      s"OPTIMIZE $source",
      s"ALTER TABLE $source SET TBLPROPERTIES ('note' = 'mine')",
      s"ALTER TABLE $source ALTER COLUMN service COMMENT 'a name'"
    ).foreach { keepsRows => sql(keepsRows); checked(text, 1, isRewritten = true) }
    sql(s"INSERT INTO $into SELECT * FROM $into LIMIT 1")
    checked(text, 1, isRewritten = false)
    sql(s"DROP TABLE $source")
    requests(source, 30)
    checked(text, 1, isRewritten = false)
  }

  test("by path, views, subqueries, joins, caches, commands and adaptive execution") {
    val (source, _) = rolled("places")
    val path = sql(s"DESCRIBE DETAIL $source").head().getAs[String]("location")
    checked(s"SELECT service, $all FROM delta.`$path` GROUP BY service", 1, isRewritten = true)
    sql(
      s"CREATE OR REPLACE TEMP VIEW places_view AS SELECT service AS s, latency_ms, ts FROM $source WHERE ts >= '2026-01-02'"
    )
    checked(s"SELECT s, $all FROM places_view WHERE s <> 's0' GROUP BY s", 1, isRewritten = true)
    checked(
      s"SELECT a.service, a.n, b.n FROM (SELECT service, count(*) n FROM $source GROUP BY 1) a JOIN (SELECT service, count(latency_ms) n FROM $source WHERE ts < '2026-01-02' GROUP BY 1) b ON a.service = b.service",
      1,
      isRewritten = true
    )
    checked(s"SELECT id, (SELECT max(latency_ms) FROM $source) FROM range(2)", 1, isRewritten = true)
    checked(s"SELECT count(*) FROM (SELECT * FROM $source LIMIT 5)", 0, isRewritten = false)
    Seq("true", "false").foreach { adaptive =>
      withConf("spark.sql.adaptive.enabled" -> adaptive) {
        checked(
          s"SELECT service, $all FROM $source WHERE ts >= '2026-01-01 03:30:00' GROUP BY service ORDER BY 1",
          1,
          isRewritten = true
        )
        checked(
          s"SELECT service, count(*) FROM $source WHERE latency_ms > 3 GROUP BY service ORDER BY 1",
          1,
          isRewritten = false
        )
      }
    }
    val into = dropped("places_copy")
    on {
      sql(s"CREATE TABLE $into USING delta AS SELECT service, count(*) AS n FROM $source GROUP BY service")
    }
    assertEquals(rows(s"SELECT sum(n) FROM $into"), rows(s"SELECT count(*) FROM $source"))
    spark.table(source).cache()
    try {
      spark.table(source).count()
      checked(s"SELECT service, $all FROM $source GROUP BY service", 1, isRewritten = false)
    } finally { spark.table(source).unpersist(); () }
  }

  test("a broken roll-up disables neither the others nor the query") {
    val (source, into) = rolled("broken")
    sql(
      s"CREATE TABLE ${dropped("broken_other")} (a INT) USING delta TBLPROPERTIES ('${RollupDefinition.Property}' = 'no JSON')"
    )
    checked(s"SELECT service, $all FROM $source GROUP BY service", 1, isRewritten = true)
    withConf(RewriteConf.Tables -> s"no_such_table, broken_other, $into") {
      checked(s"SELECT service, $all FROM $source GROUP BY service", 1, isRewritten = true)
    }
    withConf(RewriteConf.Tables -> "no_such_table") {
      declined(s"SELECT count(latency_ms) FROM $source", "no_such_table")
    }
  }

  test("random queries") {
    val random = new Random(45)
    def any[A](choices: A*): A = choices(random.nextInt(choices.size))
    def time() = any(
      0,
      0,
      random.nextInt(3600),
      random.nextInt(60)
    ) + 1767225600L + random.nextInt(80) * 3600L - 3600L * 4
    val definitions = Seq(
      ("UTC", "levels => array('1 hour', '1 day')"),
      ("UTC", "levels => array('15 minutes', '1 day', '7 days'), retention => map('15 minutes', '36 hours')"),
      ("UTC", "levels => array('6 hours', '2 days')"),
      ("America/New_York", "levels => array('1 hour', '1 day')"),
      ("Asia/Kolkata", "levels => array('1 hour', '1 day', '2 days')")
    )
    var rewrites = 0
    val reasons = scala.collection.mutable.ArrayBuffer.empty[String]
    var queries = 0
    // the roll-ups have one source, and each query is told which of them to use
    val (source, first) = rolled("random", s"${definitions.head._2}, zone => '${definitions.head._1}'")
    val rollups = first +: definitions.tail.zipWithIndex.map { case ((zone, levels), i) =>
      val into = dropped(s"random_into_$i")
      follow(source, into, s"$levels, zone => '$zone'")
      into
    }
    val changes = random.shuffle(Seq("append", "delete and refresh")) ++
      Seq.fill(Cases.of(2) - 2)(any("nothing", "append", "append", "delete and refresh"))
    changes.foreach { change =>
      // deletes that the roll-up has not seen decline all queries: they have a test of their own
      change match {
        case "append" => val from = random.nextInt(10000).toLong; insert(source, from, from + 20)
        case "delete and refresh" =>
          sql(s"DELETE FROM $source WHERE service = 's2' AND ts > timestamp_seconds(${time()})")
          rollups.foreach(into => call(s"refresh('$into')"))
        case _ =>
      }
      for (((zone, _), into) <- definitions.zip(rollups); _ <- 1 to 2) {
        val Seq(low, high) = Seq(time(), time()).sorted: @unchecked
        val where = Seq(
          any("", s"ts >= timestamp_seconds($low)", s"ts > timestamp_seconds($low)"),
          any(
            "",
            s"ts < timestamp_seconds($high)",
            s"ts <= timestamp_seconds($high)",
            "to_date(ts) = DATE'2026-01-02'"
          ),
          any("", "service = 's1'", "service IS NULL", "service IN ('s0', 's2')")
        ).filter(_.nonEmpty)
        val keys = Seq(
          any("", "service"),
          any(
            "",
            "date_trunc('minute', ts)",
            "date_trunc('hour', ts)",
            "date_trunc('day', ts)",
            "date_trunc('week', ts)",
            "date_trunc('month', ts)",
            "to_date(ts)",
            "window(ts, '1 hour')",
            "window(ts, '6 hours', '6 hours', '1 hour')",
            "window(ts, '1 day', '1 day', '5 hours')"
          )
        ).filter(_.nonEmpty)
        val filtered = if (where.isEmpty) "" else where.mkString(" WHERE ", " AND ", "")
        val grouped = if (keys.isEmpty) "" else keys.mkString(" GROUP BY ", ", ", "")
        val text = s"SELECT ${(keys :+ all).mkString(", ")} FROM $source$filtered$grouped"
        withConf("spark.sql.session.timeZone" -> any("UTC", zone), RewriteConf.Tables -> into) {
          val shown = compared(text, keys.size)
          val isRewritten = shown.contains("SketchRollup")
          queries += 1
          if (isRewritten) rewrites += 1
          else reasons += shown.linesIterator.find(_.contains("Fallback")).getOrElse(shown)
        }
      }
    }
    assert(
      rewrites > queries / 8,
      s"$rewrites of $queries queries were rewritten; others: ${reasons.mkString("\n")}"
    )
  }
}
