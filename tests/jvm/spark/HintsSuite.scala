package chronosketch.spark

import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.sliding.SlidingConf

/** Tests the fixes that error messages suggest: each is pasted into the query, which then runs without the error. */
class HintsSuite extends SparkSuite {
  private def message(query: String): String = refusal(query).asInstanceOf[Throwable].getMessage

  private def extract(query: String, pattern: String): String = {
    val text = message(query)
    pattern.r.findFirstMatchIn(text).getOrElse(fail(s"no $pattern in $text")).group(1)
  }

  test("an accuracy: the epsilon that the message computes from it is accepted") {
    def query(tuning: String) = s"SELECT approx_quantile(id, 0.9, $tuning) FROM range(1, 101)"
    Seq(
      "10000",
      "30",
      "1",
      "0.75",
      "double('Infinity')",
      "accuracy => 1000",
      "accuracy => 7",
      "accuracy => 0"
    ).foreach { tuning =>
      val epsilon = extract(query(tuning), """epsilon = 1/accuracy, so \d+ is ([0-9.]*[0-9])""")
      assert(sql(query(epsilon)).collect().length == 1, epsilon)
    }
  }

  private val last = "OVER (PARTITION BY id % 2 ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)"

  test("a frequency below 0: the suggested filter drops such rows, also OVER, in either operator") {
    for {
      enabled <- Seq("true", "false")
      function <- Seq("approx_quantile(id, 0.5, frequency => #)", "quantile_sketch_agg(id, frequency => #)")
      (frequency, over) <- Seq("id - 5" -> last, "IF(id = 7, -id, n.copies)" -> last, "id - 5" -> "")
    } withConf(SlidingConf.Enabled -> enabled) {
      val call = function.replace("#", frequency)
      def query(filter: String) =
        s"SELECT $call $filter $over AS q FROM (SELECT id, named_struct('copies', id) AS n FROM range(1, 21))"
      val filter = extract(query(""), """e\.g\. with (FILTER .*)\. SQLSTATE""")
      assert(!filter.contains("_w"), filter)
      assert(filter.contains(" >= 0)") && filter.contains("id"), filter)
      assert(sql(query(filter)).collect().nonEmpty, filter)
    }
  }

  test(
    "a row that ends before it begins: the suggested filter drops exactly such rows, in either operator"
  ) {
    for (enabled <- Seq("true", "false"); end <- Seq("u", "u + 0", "n.until"))
      withConf(AggregateConf.Enabled -> enabled) {
        def query(filter: String) =
          s"SELECT history_sketch_agg(id, id, until => $end) $filter AS s FROM (SELECT *, named_struct('until', u) AS n FROM (SELECT id, IF(id = 3, 1, IF(id = 4, NULL, 9)) AS u FROM range(1, 8)))"
        val filter = extract(query(""), """leave them out: (FILTER .*)\. SQLSTATE""")
        assertEquals(one(s"SELECT sketch_count(sketch_at_version(s, 7)) FROM (${query(filter)})"), 6L, filter)
      }
  }

  test("a whole history instead of a version: the suggested version of it") {
    val asked =
      "SELECT sketch_quantile(sketch, 1) FROM (SELECT history_sketch_agg(id, id) AS sketch FROM range(9))"
    val instead = extract(asked, """write (sketch_at_version\(.*\)) instead of""").replace("version)", "7)")
    assertEquals(one(asked.replace("(sketch,", s"($instead,")), 7.0)
  }

  test("sketches of two families: the suggested expression selects those of one family") {
    sql(
      """SELECT id, s, s AS sketch, named_struct('part', s) AS box, base64(s) AS text, array(s) AS parts FROM (
        |  SELECT 1 AS id, quantile_sketch_agg(id) AS s FROM range(9) UNION ALL SELECT 2, ddsketch_agg(id) FROM range(9))""".stripMargin
    ).createOrReplaceTempView("families")
    Seq(
      "sketch_merge_agg(s)",
      "sketch_merge_agg(box.part)",
      "sketch_merge_agg(unbase64(text))",
      "sketch_merge_agg(CASE WHEN id > 0 THEN s END)",
      "sketch_merge_agg(element_at(parts, 1))",
      "sketch_merge_agg(IF(id = 1, (SELECT quantile_sketch_agg(id) FROM range(3)), s))",
      s"sketch_merge_agg(s) OVER (ORDER BY id)",
      s"sketch_merge_agg(unbase64(text)) OVER (ORDER BY id)",
      "aggregate(collect_list(s), CAST(NULL AS BINARY), (a, b) -> sketch_merge(coalesce(a, b), b))",
      "sketch_merge(min_by(s, id), max_by(s, id))"
    ).foreach { call =>
      val tells = extract(
        s"SELECT $call FROM families",
        """family by itself, e\.g\. with GROUP BY (sketch_describe\(.*\)\.family)\. SQLSTATE"""
      )
      assertEquals(
        sql(s"SELECT $tells, count(*) FROM families GROUP BY $tells").collect().length,
        2,
        s"$call: $tells"
      )
    }
  }

  private val families = Seq(
    "quantile_sketch_agg(value, 0.02)",
    "ddsketch_agg(value, 0.02)",
    "moments_agg(value)",
    "sample_sketch_agg(value, size => 50)",
    "sample_sketch_agg(value, method => 'priority', seed => 7)",
    "sample_sketch_agg(value, method => 'bernoulli')",
    "history_sketch_agg(value, version)",
    "sketch_at_version(history_sketch_agg(value, version), 3)",
    "window_sketch_agg(value, event_time)",
    "sketch_window(window_sketch_agg(value, event_time, 0.02), 9)",
    "window_moments_agg(value, event_time)",
    "sketch_window(window_moments_agg(value, event_time), 9)",
    "window_sample_agg(value, event_time, size => 50)",
    "sketch_window(window_sample_agg(value, event_time), 9)",
    "qlove_sketch_agg(value, event_time, array(0.5), 4)",
    "comoments_agg(value, event_time)",
    "comoments_agg(event_time, value)"
  )

  private def rowsOf(from: Int, value: String, time: String, version: String = "id % 10"): String =
    s"(SELECT $value AS value, $time AS event_time, $version AS version, $value AS y, $value AS x FROM range($from, ${from + 9}))"

  /** A call that a message shows, with the other arguments of the call that it is shown for. */
  private def call(fix: String): String = fix.replace("phis, panes", "array(0.5), 4")
    .replace("AS DOUBLE), x)", "AS DOUBLE), event_time)")
    .replace("comoments_agg(y,", "comoments_agg(event_time,")

  test(
    "values of two types: the suggested aggregate, with its parameters, builds sketches that merge"
  ) {
    families.foreach { build =>
      def merged(left: String, right: String): String =
        s"SELECT is_sketch(sketch_merge((SELECT $left FROM ${rowsOf(0, "CAST(id AS DECIMAL(9, 0))", "id")}), (SELECT $right FROM ${rowsOf(10, "id / 4D", "id")})))"
      // if the values are pairs, either element may be the one that differs
      val text = message(merged(build, build))
      val shown = """holds all of them: (.*?)\. (Or cast|SQLSTATE)""".r.findFirstMatchIn(text)
      val fix = call(shown.getOrElse(fail(text)).group(1))
      """(sketch_cast)\(sketch(, 'DOUBLE'\))""".r.findFirstMatchIn(text).foreach { cast =>
        val call = s"${cast.group(1)}($build${cast.group(2)}"
        assertEquals(one(merged(call, call)), true, call)
      }
      val function = """\w+_agg""".r.findFirstIn(build).get
      assert(fix.startsWith(s"$function(") && fix.contains(" AS DOUBLE)"), s"$build: $fix")
      """(epsilon|alpha|size|seed) => [0-9.]+""".r.findAllIn(build).foreach(t => assert(fix.contains(t), fix))
      if (build.contains("0.02")) assert(fix.contains("=> 0.02"), fix)
      assertEquals(one(merged(fix, fix)), true, fix)
    }
    val none = extract(
      s"SELECT sketch_merge((SELECT ddsketch_agg(id) FROM range(3)), (SELECT ddsketch_agg(id / 3D) FROM range(3)))",
      """by itself\. (.*) SQLSTATE"""
    )
    assertEquals(
      none,
      "No type of a sketch holds all of them as they are. Build both from values of one type, BIGINT or DOUBLE. " +
        "Or choose a type: sketch_cast(sketch, type) converts a sketch, and rounds what the type does not hold."
    )
  }

  test("times of two types: the suggested aggregate builds sketches that merge") {
    families.filter(_.contains("event_time")).filterNot(_.contains("comoments")).foreach { built =>
      val build = built.replace(", 9)", ", '9 days')")
      def merged(left: String, right: String): String =
        s"SELECT is_sketch(sketch_merge((SELECT $left FROM ${rowsOf(0, "id", "date_add(DATE'2026-01-01', CAST(id AS INT))")}), " +
          s"(SELECT $right FROM ${rowsOf(10, "id", "TIMESTAMP'2026-01-01 00:00:00' + id * INTERVAL '1' DAY")})))"
      if (build.startsWith("sketch_window")) assertEquals(one(merged(build, build)), true, build)
      else {
        val fix = call(extract(merged(build, build), """holds all of them: (.*)\. SQLSTATE"""))
        assert(fix.contains("CAST(event_time AS TIMESTAMP)"), fix)
        assertEquals(one(merged(fix, fix)), true, fix)
      }
    }
    val history = "history_sketch_agg(value, version)"
    val fix = extract(
      s"SELECT sketch_merge((SELECT $history FROM ${rowsOf(0, "id", "id", "current_date()")}), (SELECT $history FROM ${rowsOf(0, "id", "id", "current_timestamp()")}))",
      """holds all of them: (.*)\. SQLSTATE"""
    )
    assertEquals(fix, "history_sketch_agg(value, CAST(version AS TIMESTAMP), epsilon => 0.01)")
  }

  test("a searched value of another type: the suggested example is accepted") {
    withConf(TypedRows.TimeType) {
      TypedRows.values.foreach { case (valueType, value) =>
        def query(point: String) =
          s"SELECT sketch_rank((SELECT quantile_sketch_agg($value) FROM range(1, 11)), $point)"
        val other = if (valueType == "DATE") "1" else "DATE'2026-01-01'"
        val example = extract(query(other), """e\.g\. (.*)\. SQLSTATE""")
        assert(one(query(example)).isInstanceOf[Long], s"$valueType: $example")
      }
    }
  }

  test(
    "a value that is not a number: the suggested conversion keeps the order"
  ) {
    withConf(TypedRows.TimeType) {
      val numbers = "INT|FLOAT|DOUBLE|DECIMAL".r
      TypedRows.values.filter(v => numbers.findFirstIn(v._1).isEmpty || v._1.startsWith("INTERVAL")).foreach {
        case (valueType, value) =>
          val rows = s"FROM (SELECT id, $value AS v FROM range(1, 101))"
          def line(v: String) = s"SELECT approx_quantile($v, 0.5, interpolation => 'linear') $rows"
          val text = message(line("v"))
          assert(text.contains("write interpolation => 'nearest'") && !text.contains("nested"), text)
          assert(one(line("v").replace("linear", "nearest")) != null)
          val number = extract(line("v"), """turn it into a number, e\.g\. (.*)\. SQLSTATE""")
          assert(one(line(number)).isInstanceOf[Double], s"$valueType: $number")
          Seq(
            "moments_agg(v)",
            "window_moments_agg(v, id)",
            "comoments_agg(id, v)",
            "comoments_agg(v, id)"
          ).foreach {
            call =>
              assertEquals(
                extract(s"SELECT $call $rows", """Turn it into a number, e\.g\. (.*)\. SQL"""),
                number
              )
              assert(one(s"SELECT ${call.replaceFirst("\\bv\\b", number)} $rows") != null)
          }
          val order =
            s"SELECT count(DISTINCT n), every(n > before) FROM (SELECT $number AS n, lag($number) OVER (ORDER BY id) AS before $rows)"
          assertEquals(sql(order).head().toSeq, Seq[Any](100L, true), s"$valueType: $number")
      }
    }
  }

  test("points and bounds of a type without an order: the suggested cast of the array") {
    def asked(points: String) =
      s"SELECT sketch_cdf((SELECT quantile_sketch_agg(id) FROM range(9)), $points)"
    Seq("array('1', '2')", "array(false, true)", "array(CAST(1 AS DECIMAL(30, 2)))").foreach { points =>
      val call = extract(asked(points), """(?:[Uu]se|with) (CAST\(.*? AS ARRAY<[^>]*>\))""")
      assert(one(asked(call)) != null, call)
    }
    val nested = message("SELECT quantile_sketch_agg(named_struct('a', 1))")
    assert(nested.contains("Choose a field or an element that has one of these types."), nested)
    val interval = message("SELECT quantile_sketch_agg(make_interval(1, 2))")
    assert(interval.contains("make_dt_interval") && interval.contains("make_ym_interval"), interval)
  }

  test("a phi that panes were not built for: the suggested call includes it, with the panes and the budget") {
    def asked(build: String) =
      s"SELECT sketch_quantile($build, 0.75) FROM (SELECT id AS value, id AS event_time FROM range(100))"
    Seq("8", "8, budget => 50").foreach { panes =>
      val built = s"qlove_sketch_agg(value, event_time, array(0.5, 0.99), $panes)"
      val instead = extract(asked(built), """in its array: (.*)\. SQLSTATE""")
      assertEquals(instead, s"qlove_sketch_agg(value, event_time, array(0.5, 0.99, 0.75), $panes)")
      assertEquals(one(asked(instead)), 74.0)
    }
  }

  test("a value that ddsketch_agg rejects: the types that the message names are accepted") {
    Seq("text", "flag", "huge").foreach { column =>
      def query(value: String) =
        s"SELECT ddsketch_agg($value) AS s FROM (SELECT '7' AS text, true AS flag, CAST(7 AS DECIMAL(38, 2)) AS huge)"
      val text = message(query(column))
      assert(text.contains("ddsketch_agg takes a number as its value"), text)
      assert(!text.contains("TIMESTAMP"), text)
      val cast = """CAST\(\w+ AS \w+(\(\d+,\d+\))?\)""".r.findFirstIn(text).getOrElse(fail(text))
      assert(sql(query(cast)).collect().length == 1, cast)
    }
  }

  test("a window that is too long: the stated number of days is accepted, one more is not") {
    def query(days: String) = s"SELECT approx_window_quantile(1, now(), 0.5, within_last('$days days'))"
    val days = extract(query("999999999999"), """can have at most (\d+) days""")
    Seq("9" * 40, (days.toLong + 1).toString).foreach(d =>
      assertEquals(extract(query(d), """at most (\d+) days"""), days)
    )
    assertEquals(one(query(days)), 1)
  }

  test("spans in EXPLAIN: they can be pasted into a query, and have the same length") {
    Seq(
      "1 hour" -> "1 hour",
      "60 minutes" -> "1 hour",
      "10 minutes" -> "10 minutes",
      "26 hours" -> "1 day 2 hours",
      "2 days" -> "2 days",
      "1 minute" -> "1 minute",
      "90061 seconds" -> "1 day 1 hour 1 minute 1 second",
      "1500 milliseconds" -> "1.5 seconds",
      "1 microsecond" -> "0.000001 seconds",
      "106751991 days" -> "106751991 days"
    ).foreach { case (written, shown) =>
      Seq(written, shown).foreach { span =>
        val plan = sql(
          s"EXPLAIN SELECT approx_window_quantile(1, t, 0.5, within_last('$span')) FROM (SELECT now() AS t)"
        )
        val text = plan.head().getString(0)
        assert(text.contains(s"within_last('$shown')"), s"$span: $text")
      }
    }
    val days = sql(
      "SELECT sketch_describe(window_sketch_agg(id, date_add(DATE'2026-01-01', CAST(id AS INT)), retention => '1 day')).retention FROM range(3)"
    )
    assertEquals(days.head().getString(0), "'1 day'")
  }

  test("WITHIN GROUP equals the plain call and percentile_disc, with DISTINCT, FILTER and OVER") {
    sql("SELECT id, id % 3 AS k, IF(id % 5 = 0, NULL, id) AS v, 1 + id % 2 AS n FROM range(1, 301)")
      .createOrReplaceTempView("grouped_rows")
    def same(ours: String, plain: String): Unit =
      assertEquals(
        rows(s"SELECT $ours FROM grouped_rows ORDER BY 1"),
        rows(s"SELECT $plain FROM grouped_rows ORDER BY 1"),
        ours
      )
    def by(call: String) = s"k, $call FROM grouped_rows GROUP BY k"
    def grouped(ours: String, plain: String): Unit = assertEquals(
      rows(s"SELECT ${by(ours)} ORDER BY k"),
      rows(s"SELECT ${by(plain)} ORDER BY k"),
      ours
    )
    same("approx_quantile(0.9) WITHIN GROUP (ORDER BY v)", "approx_quantile(v, 0.9)")
    same("chronosketch_approx_quantile(0.9) WITHIN GROUP (ORDER BY v)", "approx_quantile(v, 0.9)")
    same("approx_quantile_bounds(0.9) WITHIN GROUP (ORDER BY v NULLS LAST)", "approx_quantile_bounds(v, 0.9)")
    grouped(
      "approx_quantile(0.9) WITHIN GROUP (ORDER BY v)",
      "CAST(percentile_disc(0.9) WITHIN GROUP (ORDER BY v) AS BIGINT)"
    )
    grouped(
      "approx_quantile(array(0.1, 0.9)) WITHIN GROUP (ORDER BY v)",
      "approx_quantile(v, array(0.1, 0.9))"
    )
    grouped("approx_quantile(phi => 0.5) WITHIN GROUP (ORDER BY v)", "approx_quantile(v, 0.5)")
    grouped(
      "approx_quantile(0.5, epsilon => 0.2, frequency => n) WITHIN GROUP (ORDER BY v)",
      "approx_quantile(v, 0.5, 0.2, n)"
    )
    grouped(
      "approx_quantile(0.5) WITHIN GROUP (ORDER BY v) FILTER (WHERE n = 1)",
      "approx_quantile(v, 0.5) FILTER (WHERE n = 1)"
    )
    grouped("approx_quantile(DISTINCT 0.5) WITHIN GROUP (ORDER BY n)", "approx_quantile(DISTINCT n, 0.5)")
    same(
      "id, approx_quantile(0.5) WITHIN GROUP (ORDER BY v) OVER (PARTITION BY k)",
      "id, approx_quantile(v, 0.5) OVER (PARTITION BY k)"
    )
    // a single column is still the value, so phi is what is missing
    assert(message("SELECT approx_quantile(v) FROM grouped_rows").contains("`phi`"))
  }
}
