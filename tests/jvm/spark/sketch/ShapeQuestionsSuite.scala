package chronosketch.spark.sketch

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** Tests queries about the distribution of values, and interpolated quantiles. */
class ShapeQuestionsSuite extends SparkSuite {
  private def of(values: String, question: String): Any =
    one(s"SELECT $question FROM (SELECT quantile_sketch_agg(v) AS s FROM VALUES $values AS t(v))")

  Seq("sketch_histogram(s)", "sketch_box(s)", "sketch_trimmed_mean(s)").foreach { q =>
    test(s"$q of an empty or a NULL sketch is NULL") {
      assertEquals(one(s"SELECT $q FROM (SELECT quantile_sketch_agg(id) AS s FROM range(0))"), null)
      assertEquals(one(s"SELECT $q FROM (SELECT CAST(NULL AS BINARY) AS s)"), null)
    }
  }

  test("a value that fills several bins gives one bin") {
    assertEquals(
      of("(1), (2), (2), (2), (2), (3)", "sketch_histogram(s, 4, 'int')"),
      Seq(Row(1, 2, 5L, 5L, 5L), Row(2, 3, 1L, 1L, 1L))
    )
    assertEquals(of("(7), (7)", "sketch_histogram(s, 10, 'int')"), Seq(Row(7, 7, 2L, 2L, 2L)))
  }

  test("an outlier lies beyond the whisker") {
    val box = one(
      "SELECT sketch_box(quantile_sketch_agg(v), 'int') FROM VALUES (10), (11), (12), (13), (14), (15), (99) AS t(v)"
    ).asInstanceOf[Row]
    def certain(value: Int): Row = Row(value, value, value)
    assertEquals(
      Seq("lower_whisker", "upper_whisker", "maximum").map(box.getAs[Row](_)),
      Seq(certain(10), certain(15), certain(99))
    )
  }

  test("times have a box plot and a histogram, but no trimmed mean") {
    val days = "(DATE'2013-01-01'), (DATE'2013-01-02'), (DATE'2013-01-03')"
    assertEquals(
      of(days, "CAST(sketch_box(s, 'date').median.value AS STRING)"),
      "2013-01-02"
    )
    assertEquals(of(days, "size(sketch_histogram(s, 3, 'date'))"), 3)
    assert(
      intercept[Exception](of(days, "sketch_trimmed_mean(s)")).getMessage.contains("CHRONOSKETCH_NOT_NUMBERS")
    )
  }

  test("a window with an uncertain count is refused by queries that need exact ranks") {
    val window =
      "SELECT %s FROM (SELECT sketch_window(window_sketch_agg(id, id, 0.2), 777) AS s FROM range(10000))"
    for (q <- Seq("sketch_trimmed_mean(s)", "sketch_quantile(s, 0.5, interpolation => 'linear')"))
      assert(
        intercept[Exception](one(window.format(q))).getMessage.contains("CHRONOSKETCH_COUNT_IN_DOUBT"),
        q
      )
    assertEquals(one(window.format("sketch_box(s).maximum.value")), 9999.0)
  }

  test("linear quantiles equal Spark's percentile, for every number type") {
    val rows = "SELECT (id * id % 101) / 4 AS v, id % 3 AS g FROM range(250)"
    val phis = "array(0, 0.07, 0.25, 0.5, 0.9, 0.99, 1)"
    for (t <- Seq("DOUBLE", "FLOAT", "INT", "BIGINT", "DECIMAL(9,2)")) {
      val both = spark.sql(
        s"SELECT approx_quantile(CAST(v AS $t), $phis, 0, interpolation => 'linear') AS ours, " +
          s"transform(percentile(CAST(v AS $t), $phis), x -> x) AS spark, " +
          s"sketch_quantile(quantile_sketch_agg(CAST(v AS $t), 0), $phis, interpolation => 'linear') AS stored " +
          s"FROM ($rows) GROUP BY g"
      )
      both.collect().foreach { row =>
        val Seq(ours, percentile, stored) = (0 to 2).map(row.getSeq[Double](_)): @unchecked
        assertEquals(ours, stored)
        // Spark rounds both products and their sum
        ours.zip(percentile).foreach { pair =>
          assertEqualsDouble(pair._1, pair._2, 4 * math.ulp(pair._2))
        }
      }
    }
  }

  test("linear quantiles OVER frames, in panes and in PIVOT") {
    val over = spark.sql(
      "SELECT approx_quantile(id, 0.5, interpolation => 'linear') OVER (ORDER BY id ROWS 1 PRECEDING) FROM range(3)"
    )
    assertEquals(over.collect().toSeq, Seq(Row(0.0), Row(0.5), Row(1.5)))
    assertEquals(
      one("SELECT approx_quantile_bounds(id, 0.5, interpolation => 'linear') FROM range(4)"),
      Row(1.5, 1.5)
    )
  }

  test("frequencies can be decimals: a half counts as a half") {
    val rows = "VALUES (1, 0.5), (2, 0.25), (3, 0.25), (4, NULL), (5, 0) AS t(v, w)"
    assertEquals(
      one(s"SELECT approx_quantile(v, array(0.5, 0.51, 0.75, 1), frequency => w) FROM $rows"),
      Seq(1, 2, 2, 3)
    )
    assertEquals(
      spark.sql(s"SELECT approx_quantile(v, 0.75, frequency => w) OVER () FROM $rows").head(),
      Row(2)
    )
    // the same frequencies as whole numbers
    assertEquals(
      one(
        "SELECT approx_quantile(id, array(0.1, 0.5, 0.9), frequency => CAST(id / 4 AS DECIMAL(10,2))) FROM range(1000)"
      ),
      one("SELECT approx_quantile(id, array(0.1, 0.5, 0.9), frequency => id * 25) FROM range(1000)")
    )
  }
}
