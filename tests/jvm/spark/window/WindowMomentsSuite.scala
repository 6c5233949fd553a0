package chronosketch.spark.window

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** Compares moments of windows in SQL with Spark's own functions on the selected rows. */
class WindowMomentsSuite extends SparkSuite {
  private val minutes =
    "(SELECT id AS v, TIMESTAMP'2026-01-01 12:00:00' + id * INTERVAL '1' MINUTE AS t, id % 10 AS status FROM range(0, 121, 1, 3))"

  private lazy val many: Unit = spark.sql(
    "SELECT id, id % 3 AS k, exp(randn(7)) * 10 AS v, id * 10 + pmod(xxhash64(id), 500) AS t FROM range(0, 60000, 1, 4)"
  ).cache().createOrReplaceTempView("moments_of_many")

  private val moments = Seq("count", "sum", "mean", "variance", "variance_pop", "stddev", "stddev_pop")
  private val exact = Seq("count", "sum", "avg", "var_samp", "var_pop", "stddev_samp", "stddev_pop")

  private def near(found: Double, exact: Double): Boolean = math.abs(found - exact) <= 1e-9 * math.abs(exact)

  for ((way, conf) <- Seq("ours" -> "true", "Spark's" -> "false"))
    test(s"bounds of grouped windows contain what Spark computes from their rows, in $way operator") {
      many
      withConf("spark.chronosketch.aggregate.enabled" -> conf) {
        for (span <- Seq(200, 4000, 70000)) {
          val asked =
            moments.map(m => s"sketch_moment_bounds(sketch_window(s, $span), '$m')").mkString(", ")
          val found = rows(
            s"SELECT k, $asked FROM (SELECT k, window_moments_agg(v, t, 0.05) AS s FROM moments_of_many GROUP BY k) ORDER BY k"
          )
          val meant =
            s"(SELECT *, max(t) OVER (PARTITION BY k) AS newest FROM moments_of_many) WHERE t > newest - $span"
          val expected = rows(
            s"SELECT k, ${exact.map(f => s"double($f(v))").mkString(", ")} FROM $meant GROUP BY k ORDER BY k"
          )
          found.zip(expected).foreach { case (f, e) =>
            moments.indices.foreach { i =>
              val (bounds, number) = (f.getStruct(i + 1), e.getDouble(i + 1))
              val (value, lower, upper) = (bounds.getDouble(0), bounds.getDouble(1), bounds.getDouble(2))
              val what = s"$span, ${moments(i)}: $bounds, $number"
              assert(lower <= number * (1 + 1e-9) && number * (1 - 1e-9) <= upper, what)
              assert(lower <= value && value <= upper, what)
              if (moments(i) != "mean") assert(math.abs(value - number) <= 0.0500001 * number, what)
            }
          }
        }
      }
    }

  test("a stored sketch answers windows, with filters, and merges") {
    spark.sql(
      s"SELECT v % 4 AS k, window_moments_agg(v, t, filters => map('high', status >= 8)) AS s FROM $minutes GROUP BY 1"
    ).createOrReplaceTempView("stored_moments")
    def ask(call: String): Any =
      one(s"SELECT $call FROM (SELECT sketch_merge_agg(s) AS s FROM stored_moments)")
    assertEquals(ask("sketch_count(s)"), 121L)
    assertEquals(ask("sketch_sum(s)"), 7260.0)
    assertEquals(ask("sketch_mean(sketch_window(s, '10 minutes'))"), 115.5)
    assertEquals(ask("sketch_variance(sketch_window(s, among_last(10)), population => true)"), 8.25)
    assertEquals(ask("sketch_stddev(sketch_window(s, '1 minute'))"), null)
    assertEquals(ask("sketch_stddev(sketch_window(s, '1 minute'), true)"), 0.0)
    assertEquals(ask("sketch_sum(sketch_window(s, within_last('20 minutes') AND passing('high')))"), 454.0)
    assertEquals(
      ask("sketch_count_bounds(sketch_window(s, '10 minutes', as_of => TIMESTAMP'2026-01-01 13:00:00'))"),
      Row(10L, 10L)
    )
    assertEquals(ask("sketch_mean(sketch_window(s, '10 minutes', TIMESTAMP'2026-01-01 13:00:00'))"), 55.5)
    assertEquals(
      ask("sketch_sum(sketch_merge(sketch_window(s, '2 minutes'), sketch_window(s, among_last(1))))"),
      359.0
    )
    assertEquals(
      ask(
        "struct(sketch_describe(s).family, sketch_describe(s).time_type, sketch_describe(s).filters, sketch_describe(s).parameters)"
      ),
      Row("window moments sketch", "TIMESTAMP", Seq("high"), Map("epsilon" -> 0.01))
    )
    assertEquals(ask("sketch_describe(sketch_window(s, '1 hour')).family"), "window of moments")
  }

  test("NULL, NaN, infinities and groups without rows") {
    val empty = "range(0)"
    assertEquals(one(s"SELECT sketch_count(window_moments_agg(id, id)) FROM $empty"), 0L)
    Seq(
      "sketch_sum(w)",
      "sketch_mean(w)",
      "sketch_variance(w)",
      "sketch_moment_bounds(w, 'stddev')"
    ).foreach {
      call =>
        val window = s"(SELECT sketch_window(window_moments_agg(id, id), 10) AS w FROM $empty)"
        assertEquals(one(s"SELECT $call FROM $window"), null, call)
    }
    assertEquals(
      one(s"SELECT sketch_moment_bounds(window_moments_agg(id, id), 'count') FROM $empty"),
      Row(0.0, 0.0, 0.0)
    )
    assertEquals(
      one("SELECT sketch_sum(window_moments_agg(IF(id > 5, NULL, id), IF(id = 1, NULL, id))) FROM range(9)"),
      14.0
    )
    assertEquals(
      one("SELECT sketch_sum(window_moments_agg(id, id) FILTER (WHERE id > 6)) FROM range(9)"),
      15.0
    )
    assertEquals(one("SELECT sketch_count(window_moments_agg(DISTINCT id % 3, id % 3)) FROM range(9)"), 3L)
    val from = "VALUES (double('Infinity'), 1L), (1.5D, 2L), (double('NaN'), 3L), (2.5D, 4L) AS r(v, t)"
    def ask(call: String): Any = one(s"SELECT $call FROM (SELECT window_moments_agg(v, t) AS s FROM $from)")
    assertEquals(ask("sketch_sum(sketch_window(s, 1))"), 2.5)
    assertEquals(ask("isnan(sketch_sum(sketch_window(s, 2)))"), true)
    assertEquals(ask("isnan(sketch_variance(sketch_window(s, 4)))"), true)
    assertEquals(ask("sketch_sum(sketch_window(s, 2, as_of => 2))"), Double.PositiveInfinity)
    assertEquals(ask("sketch_mean(sketch_window(s, 1, as_of => 2))"), 1.5)
  }

  test("decimals and whole numbers are exact if no bucket is cut; every numeric type is accepted") {
    assertEquals(
      one(
        "SELECT sketch_moment_bounds(sketch_window(window_moments_agg(CAST(id AS DECIMAL(9,2)) / 4, id), 3), 'sum') FROM range(11)"
      ),
      Row(6.75, 6.75, 6.75)
    )
    Seq("tinyint", "smallint", "int", "bigint", "float", "double", "decimal(18,3)").foreach { t =>
      assertEquals(
        one(s"SELECT sketch_mean(sketch_window(window_moments_agg(CAST(id AS $t), id), 3)) FROM range(11)"),
        9.0,
        t
      )
    }
  }

  test("PIVOT, OVER, and together with another kind of sketch") {
    assertEquals(
      rows(
        s"SELECT * FROM (SELECT sketch_sum(sketch_window(s, '3 minutes')) AS n, k FROM (SELECT v % 2 AS k, window_moments_agg(v, t) AS s FROM $minutes GROUP BY 1)) PIVOT (sum(n) FOR k IN (0, 1))"
      ),
      Seq(Row(238.0, 236.0))
    )
    val over = rows(
      "SELECT id, sketch_sum(sketch_window(window_moments_agg(id, id) OVER w, 3)) AS s FROM range(1, 40) WINDOW w AS (ORDER BY id ROWS 10 PRECEDING) ORDER BY id"
    )
    over.foreach { r =>
      val id = r.getLong(0)
      assertEquals(r.getDouble(1), (math.max(1, id - 2) to id).sum.toDouble)
    }
    assertEquals(
      rows(
        s"SELECT sketch_mean(sketch_window(window_moments_agg(v, t), '10 minutes')), sketch_quantile(sketch_window(window_sketch_agg(v, t), '10 minutes'), 0), count(*) FROM $minutes"
      ),
      Seq(Row(115.5, 111.0, 121L))
    )
  }

  test("exact sketches have bounds, too") {
    Seq("moments_agg(id)" -> "range(1, 101)", "moments_agg(id / 7)" -> "range(1, 101)").foreach {
      case (build, from) =>
        moments.foreach { m =>
          val bounds = one(s"SELECT sketch_moment_bounds($build, '$m') FROM $from").asInstanceOf[Row]
          val (value, lower, upper) = (bounds.getDouble(0), bounds.getDouble(1), bounds.getDouble(2))
          assert(lower <= value && value <= upper && near(lower, upper), s"$build $m")
        }
    }
    assertEquals(
      one("SELECT sketch_moment_bounds(moments_agg(id), 'variance') FROM range(1)"),
      null
    )
  }
}
