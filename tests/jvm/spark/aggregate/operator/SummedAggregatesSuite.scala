package chronosketch.spark.aggregate.operator

import chronosketch.spark.aggregate.AggregateConf

/** Tests that quantile sketches with sums answer as quantile sketches and as moments sketches of the same values do. */
class SummedAggregatesSuite extends OperatorSuite {
  private val tails = Seq("NULL", "'high'", "'low'", "'both'")

  private val settings = Seq(
    "our operator" -> Nil,
    "our operator, not compiled" -> OperatorSuite.notCompiled,
    "Spark's operator" -> Seq(AggregateConf.Enabled -> "false")
  )

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(0, 20000, 1, 3).selectExpr(
      "id",
      "CAST(floor(pow(id % 343, 1D / 3)) AS INT) AS k",
      "IF(id % 11 = 5, NULL, CAST(exp(3 * randn(4)) * 1000 AS BIGINT)) AS v",
      "CAST(IF(id % 7 = 2, NULL, id) AS DECIMAL(12, 2)) / 8 AS wide",
      "timestamp_seconds(id) AS ts"
    ).selectExpr(
      "*",
      "CAST(v % 1000000 AS INT) AS i",
      "CAST(wide AS DECIMAL(14, 3)) AS d",
      "exp(v % 20) AS x"
    )
      .localCheckpoint().createOrReplaceTempView("numbers")
  }

  private val moments =
    Seq("sum", "mean", "variance", "stddev", "skewness", "kurtosis").map(m => s"sketch_$m(s) AS $m") :+
      "sketch_moment_bounds(s, 'sum') AS bounds"
  private val ranked = Seq(
    "sketch_count(s) AS n",
    "sketch_quantile(s, array(0, 0.5, 0.999, 1)) AS q",
    "sketch_quantile_bounds(s, 0.99) AS b",
    "sketch_rank(s, 100) AS r",
    "sketch_rank_error(s) AS e"
  )

  private def answers(asked: Seq[String], sketches: String): Seq[String] =
    rows(s"SELECT k, ${asked.mkString(", ")} FROM ($sketches)").map(_.toString).sorted

  private def built(call: String): String = s"SELECT k, $call AS s FROM numbers GROUP BY k"

  for ((name, conf) <- settings)
    test(s"answers are those of separate sketches: $name") {
      withConf(conf: _*) {
        for ((value, i) <- Seq("v", "i", "d", "x").zipWithIndex; tail = tails(i)) {
          val summed = built(s"quantile_sketch_agg($value, 0.01, NULL, $tail, true)")
          assertEquals(
            answers(ranked, summed),
            answers(ranked, built(s"quantile_sketch_agg($value, 0.01, tail => $tail)"))
          )
          // doubles are added up in parts, which differ from run to run
          if (value != "x")
            assertEquals(answers(moments, summed), answers(moments, built(s"moments_agg($value)")))
          else
            rows(
              s"SELECT sketch_mean(s), m FROM ($summed) JOIN (SELECT k, avg(x) AS m FROM numbers GROUP BY k) USING (k)"
            )
              .foreach(row => assert(math.abs(row.getDouble(0) / row.getDouble(1) - 1) < 1e-12, row))
        }
      }
    }

  for ((name, conf) <- settings)
    test(s"merging adds sums, level by level: $name") {
      withConf(conf: _*) {
        val days =
          "SELECT k, id % 96 AS day, quantile_sketch_agg(v, 0.01, sum => true) AS s FROM numbers GROUP BY 1, 2"
        val weeks = s"SELECT k, day % 12 AS week, sketch_merge_agg(s) AS s FROM ($days) GROUP BY 1, 2"
        val years = s"SELECT k, sketch_merge_agg(s) AS s FROM ($weeks) GROUP BY 1"
        assertEquals(answers(moments, years), answers(moments, built("moments_agg(v)")))
      }
    }

  test("the union with a sketch without sums has none; empty ones change nothing") {
    val parts = "SELECT quantile_sketch_agg(v) AS p, quantile_sketch_agg(v, sum => true) AS s, " +
      "quantile_sketch_agg(v, sum => true) FILTER (WHERE v < 0) AS none, quantile_sketch_agg(x) FILTER (WHERE x < 0) AS empty FROM numbers"
    Seq("sketch_merge(p, s)", "sketch_merge(s, p)").foreach { union =>
      assertEquals(one(s"SELECT $union = sketch_merge(p, p) FROM ($parts)"), true)
      val refused = refusal(s"SELECT sketch_mean($union) FROM ($parts)")
      assertEquals(refused.getCondition, "CHRONOSKETCH_NO_SUMS")
    }
    Seq(
      "sketch_merge(s, none)",
      "sketch_merge(none, s)",
      "sketch_merge(s, empty)",
      "sketch_merge(empty, s)"
    ).foreach { union =>
      assertEquals(one(s"SELECT $union = s FROM ($parts)"), true, union)
    }
    assertEquals(one(s"SELECT sketch_sum(none) IS NULL AND sketch_mean(none) IS NULL FROM ($parts)"), true)
    assertEquals(
      one(s"SELECT sketch_describe(s).family FROM ($parts)"),
      "quantile sketch with sum => true"
    )
  }

  test("sums slide over frames and hopping windows, of values and of stored sketches") {
    val frame = "OVER (PARTITION BY k ORDER BY id ROWS 99 PRECEDING)"
    val sums = rows(
      s"SELECT sketch_sum(quantile_sketch_agg(v, 0.1, sum => true) $frame) = sum(v) $frame AS same FROM numbers"
    )
    assert(sums.forall(row => row.isNullAt(0) || row.getBoolean(0)))
    val days =
      "SELECT k, id % 50 AS day, quantile_sketch_agg(v, 0.01, sum => true) AS s, sum(v) AS v FROM numbers GROUP BY 1, 2"
    val over = "OVER (PARTITION BY k ORDER BY day ROWS 6 PRECEDING)"
    assertEquals(
      rows(
        s"SELECT sketch_sum(sketch_merge_agg(s) $over) = sum(v) $over FROM ($days)"
      ).map(_.get(0)).distinct,
      Seq(true)
    )
    val window = "window(ts, '10 minutes', '1 minute')"
    val hopping = rows(
      s"SELECT sketch_sum(quantile_sketch_agg(v, 0.01, sum => true)) <=> sum(v) FROM numbers GROUP BY $window, k"
    )
    assertEquals(hopping.map(_.get(0)).distinct, Seq(true))
  }

  test("NULL, NaN, infinities, frequencies and DISTINCT count as in moments") {
    val odd = "VALUES (1D), (NULL), (double('NaN')), (double('Infinity')), (-2D) AS t(v)"
    assertEquals(
      one(s"SELECT sketch_sum(quantile_sketch_agg(v, sum => true)) <=> sketch_sum(moments_agg(v)) FROM $odd"),
      true
    )
    assertEquals(
      one("SELECT sketch_mean(quantile_sketch_agg(id, frequency => id, sum => true)) FROM range(1, 4)"),
      14.0 / 6
    )
    assertEquals(
      one("SELECT sketch_sum(quantile_sketch_agg(DISTINCT id % 4, sum => true)) FROM range(100)"),
      6.0
    )
    assertEquals(
      one("SELECT sketch_sum(quantile_sketch_agg(id, sum => true) FILTER (WHERE id > 97)) FROM range(100)"),
      197.0
    )
    val large = "SELECT sketch_sum(quantile_sketch_agg(9223372036854775807, sum => true)) FROM range(1000)"
    assertEquals(one(large), 9223372036854775807.0 * 1000)
    assertEquals(
      one("SELECT quantile_sketch_agg(id, sum => NULL) = quantile_sketch_agg(id) FROM range(9)"),
      true
    )
  }
}
