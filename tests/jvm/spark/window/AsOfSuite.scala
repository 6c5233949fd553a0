package chronosketch.spark.window

import org.apache.spark.sql.functions.{col, current_timestamp, lit}
import org.apache.spark.sql.{AnalysisException, Row}

import chronosketch.spark.SparkSuite
import chronosketch.spark.functions._

/** Tests windows that end at a column, a scalar subquery or the current time. */
class AsOfSuite extends SparkSuite {

  /** A row each minute of a day, of three services; the third died at noon. */
  private lazy val requests: Unit =
    sql(
      """SELECT concat('s', id % 3) AS service, TIMESTAMP'2026-01-01 00:00:00' + make_interval(0, 0, 0, 0, 0, id) AS t, id AS n,
          |  (id * 37) % 1000 AS v, CAST((id * 37) % 1000 AS DECIMAL(9, 2)) AS d FROM range(1440) WHERE id % 3 < 2 OR id < 720""".stripMargin
    )
      .createOrReplaceTempView("as_of_requests")

  private lazy val stored: Unit = {
    requests
    sql("""SELECT service, window_sketch_agg(v, t) AS s, window_sketch_agg(v, n) AS whole, window_moments_agg(v, t) AS m,
          |  window_sample_agg(v, t) AS r FROM as_of_requests GROUP BY service""".stripMargin)
      .createOrReplaceTempView("as_of_sketches")
  }

  private def ts(text: String): String = s"TIMESTAMP'2026-01-01 $text'"

  private val times = Seq("00:00:30", "06:00:00", "12:10:00", "23:59:00", "23:59:59")

  test("sketch_window takes a column, and each row has a window of its own") {
    stored
    val asked = times.map(t => s"(${ts(t)})").mkString(", ")
    for (sketch <- Seq("s", "m", "r"); codegen <- Seq("true", "false")) {
      withConf("spark.sql.codegen.wholeStage" -> codegen) {
        val found = rows(
          s"SELECT service, at, sketch_count(sketch_window($sketch, '1 hour', as_of => at)) FROM as_of_sketches CROSS JOIN (VALUES $asked AS a(at)) ORDER BY 1, 2"
        )
        val expected = rows(
          times.map(t =>
            s"SELECT service, ${ts(t)} AS at, sketch_count(sketch_window($sketch, '1 hour', as_of => ${ts(t)})) FROM as_of_sketches"
          ).mkString(" UNION ALL ") + " ORDER BY 1, 2"
        )
        assertEquals(found.size, 15)
        assertEquals(found, expected)
      }
    }
  }

  test("a column of whole numbers, of any width") {
    stored
    Seq("BIGINT", "INT", "SMALLINT").foreach { width =>
      assertEquals(
        rows(
          s"SELECT service, sketch_count(sketch_window(whole, 60, as_of => at)) FROM as_of_sketches CROSS JOIN (SELECT CAST(600 AS $width) AS at FROM range(1)) ORDER BY 1"
        ),
        Seq(Row("s0", 20L), Row("s1", 20L), Row("s2", 20L))
      )
    }
  }

  test("a scalar subquery: all services to one time, and the dead one has no rows") {
    stored
    Seq(
      "(SELECT max(t) FROM as_of_requests)",
      "(SELECT max(a.t) + INTERVAL '0' HOUR FROM as_of_requests a)"
    ).foreach { newest =>
      assertEquals(
        rows(
          s"SELECT service, sketch_count(sketch_window(s, '1 hour', as_of => $newest)), sketch_quantile(sketch_window(s, '1 hour', as_of => $newest), 0.99) IS NULL FROM as_of_sketches ORDER BY 1"
        ),
        Seq(Row("s0", 20L, false), Row("s1", 20L, false), Row("s2", 0L, true))
      )
    }
    // without as_of the dead service shows its last hour for ever
    assertEquals(
      one("SELECT sketch_count(sketch_window(s, '1 hour')) FROM as_of_sketches WHERE service = 's2'"),
      20L
    )
  }

  test("a correlated subquery") {
    stored
    assertEquals(
      rows(
        "SELECT service, sketch_count(sketch_window(s, '1 hour', as_of => (SELECT max(r.t) FROM as_of_requests r WHERE r.service = a.service))) FROM as_of_sketches a ORDER BY 1"
      ),
      Seq(Row("s0", 20L), Row("s1", 20L), Row("s2", 20L))
    )
  }

  test("current_timestamp(): an old table has no rows in the last hour") {
    stored
    Seq("current_timestamp()", "now() - INTERVAL '5' MINUTE").foreach { now =>
      assertEquals(
        rows(s"SELECT sketch_count(sketch_window(s, '1 hour', as_of => $now)) FROM as_of_sketches"),
        Seq.fill(3)(Row(0L))
      )
      assertEquals(
        rows(
          s"SELECT approx_window_quantile(v, t, 0.5, '1 hour', as_of => $now) FROM as_of_requests GROUP BY service"
        ),
        Seq.fill(3)(Row(null))
      )
    }
    assertEquals(
      one(
        "SELECT approx_window_quantile(id, current_timestamp() - make_interval(0, 0, 0, 0, 0, id), 1, '10 minutes', as_of => current_timestamp()) FROM range(1000)"
      ),
      9L
    )
  }

  test("the answer is NULL where as_of is NULL, and a bare NULL means that as_of is absent") {
    stored
    assertEquals(
      rows(
        s"SELECT sketch_count(sketch_window(s, '1 hour', as_of => IF(service = 's0', ${ts("06:00:00")}, NULL))) FROM as_of_sketches ORDER BY service"
      ),
      Seq(Row(20L), Row(null), Row(null))
    )
    val none = "(SELECT max(t) FROM as_of_requests WHERE n < 0)"
    assertEquals(
      rows(
        s"SELECT sketch_count(sketch_window(s, '1 hour', as_of => $none)), sketch_count(sketch_window(s, '1 hour', as_of => NULL)) FROM as_of_sketches"
      ),
      Seq.fill(3)(Row(null, 20L))
    )
    assertEquals(
      rows(
        s"SELECT approx_window_quantile(v, t, 0.5, '1 hour', as_of => $none) FROM as_of_requests GROUP BY service"
      ),
      Seq.fill(3)(Row(null))
    )
  }

  test("approx_window_quantile takes a scalar subquery, and answers as with the same constant") {
    requests
    val windows = Seq(
      "'2 hours'",
      "within_last('2 hours') AND v % 2 = 0 OR among_last(10)",
      "among_last(50) AND NOT (v < 100) AND within_last('1 day')",
      "v > 500 AND within_last('3 hours') OR v > 500 AND among_last(7)"
    )
    val values =
      Seq("v", "d", "t", "CAST(t AS DATE)", "CAST(v AS DOUBLE)", "t - TIMESTAMP'2026-01-01 00:00:00'")
    for (window <- windows; value <- values; time <- Seq("06:30:00", "12:10:00")) {
      def ask(asOf: String) = rows(
        s"SELECT service, approx_window_quantile($value, t, array(0.1, 0.5, 1), $window, as_of => $asOf) FROM as_of_requests GROUP BY service ORDER BY 1"
      )
      val same = ask(s"(SELECT max(t) FROM as_of_requests WHERE t <= ${ts(time)})")
      assertEquals(same, ask(ts(time)), s"$value, $window")
      assert(same.exists(!_.isNullAt(1)), window)
    }
    withConf("spark.sql.timestampType" -> "TIMESTAMP_NTZ") {
      assertEquals(
        one(
          s"SELECT approx_window_quantile(t, t, 1, '1 hour', as_of => (SELECT max(t) FROM as_of_requests)) = (SELECT max(t) FROM as_of_requests) FROM as_of_requests"
        ),
        true
      )
    }
  }

  test("approx_window_quantile takes a key of the groups") {
    requests
    val asked = times.map(t => s"(${ts(t)})").mkString(", ")
    def each(asOf: String, where: String, keys: String) = rows(
      s"SELECT service, at, approx_window_quantile(v, t, 0.9, '1 hour', as_of => $asOf), count(*) FROM as_of_requests CROSS JOIN (VALUES $asked AS a(at)) $where GROUP BY $keys ORDER BY 1, 2"
    )
    val found = each("at", "", "service, at")
    assertEquals(found.size, 15)
    assertEquals(
      found,
      times.flatMap(t => each(ts(t), s"WHERE at = ${ts(t)}", "service, at")).sortBy(r =>
        (r.getString(0), r.getTimestamp(1).getTime)
      )
    )
    assertEquals(
      one(
        "SELECT max(q) FROM (SELECT approx_window_quantile(n, n, 1, 10, as_of => k * 100) AS q FROM (SELECT n, n % 3 + 1 AS k FROM as_of_requests) GROUP BY k)"
      ),
      299L
    )
  }

  test("what as_of of an aggregate can't be") {
    requests
    def refused(select: String): AnalysisException =
      intercept[AnalysisException](sql(s"$select").collect())
    assertEquals(
      refused(
        "SELECT service, approx_window_quantile(v, t, 0.5, '1 hour', as_of => t) FROM as_of_requests GROUP BY service"
      )
        .getCondition,
      "MISSING_AGGREGATION"
    )
    assertEquals(
      refused(
        "SELECT approx_window_quantile(v, t, 0.5, '1 hour', as_of => max(t)) FROM as_of_requests"
      ).getCondition,
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT"
    )
    assertEquals(
      refused(
        "SELECT approx_window_quantile(v, t, 0.5, '1 hour', as_of => (SELECT max(n) FROM as_of_requests)) FROM as_of_requests"
      ).getCondition,
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
    )
    // the condition belongs in the window
    refused(
      "SELECT approx_window_quantile(v, t, 0.5, '1 hour', as_of => (SELECT max(t) FROM as_of_requests)) FILTER (WHERE v > 1) FROM as_of_requests"
    )
    refused(
      "SELECT approx_window_quantile(v, t, 0.5, '1 hour', as_of => (SELECT max(t) FROM as_of_requests)) OVER (PARTITION BY service) FROM as_of_requests"
    )
  }

  test("the column is named by the call") {
    requests
    assertEquals(
      sql(
        "SELECT service, approx_window_quantile(v, t, 0.5, '1 hour', as_of => at) FROM as_of_requests CROSS JOIN (SELECT max(t) AS at FROM as_of_requests) GROUP BY service, at"
      ).columns.last,
      "approx_window_quantile(v, t, 0.5, 1 hour, as_of => at)"
    )
  }

  test("in Scala") {
    stored
    val sketches =
      spark.table("as_of_sketches").withColumn("at", lit("2026-01-01 06:00:00").cast("timestamp"))
    val counts = sketches.select(
      sketch_count(sketch_window(col("s"), "1 hour", col("at"))),
      sketch_count(sketch_window(col("s"), "1 hour", current_timestamp()))
    )
    assertEquals(counts.collect().toSeq, Seq.fill(3)(Row(20L, 0L)))
    val newest = spark.table("as_of_requests").agg(org.apache.spark.sql.functions.max("t"))
    val answers = spark.table("as_of_requests").groupBy("service").agg(
      approx_window_quantile(col("n"), col("t"), 1, "1 hour", asOf = newest.scalar()).as("q")
    ).orderBy("service")
    assertEquals(answers.select("q").collect().toSeq, Seq(Row(1437L), Row(1438L), Row(null)))
  }
}
