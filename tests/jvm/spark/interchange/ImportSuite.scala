package chronosketch.spark.interchange

import chronosketch.spark.SparkSuite

/** Tests importing sketches and histograms of other libraries in SQL, and querying them. */
class ImportSuite extends SparkSuite {
  private def checkAnswers(query: String, answer: String): Unit =
    assertEquals(rows(query).map(_.toString), Seq(answer))

  private val histogram = "sketch_from_histogram(array(10, 50, 100), array(7, 80, 9, 4))"

  test("a histogram can be queried, described and merged as any sketch") {
    checkAnswers(
      s"""SELECT sketch_count(s), sketch_rank(s, 50), sketch_rank_bounds(s, 50), sketch_quantile(s, 0.8),
         |  sketch_quantile_bounds(s, 0.8), sketch_cdf(s, array(10, 100)), sketch_min(s), sketch_max(s), sketch_rank_error(s),
         |  sketch_describe(s).family, sketch_describe(s).confidence, sketch_describe(s).value_type, is_sketch(s)
         |FROM (SELECT $histogram AS s)""".stripMargin,
      "[100,87,[87,87],50.0,[10.000000000000002,50.0],ArraySeq(0.07, 0.96),-Infinity,Infinity,0.4,imported sketch,1.0,DOUBLE,true]"
    )
  }

  test("histograms of several rows with different bounds merge") {
    val rows =
      """VALUES (array(1.5, 20), array(5, 5, 5), 0.5D), (array(10, 20), array(1, 2, 3), NULL), (NULL, array(1), 1D),
        |  (array(30), array(6, 0), 1D)""".stripMargin
    checkAnswers(
      s"""SELECT sketch_count(s), sketch_rank_bounds(s, 20), sketch_rank_bounds(s, 15), sketch_min(s) FROM (
         |  SELECT sketch_merge_agg(sketch_from_histogram(b, c, minimum => m)) AS s FROM $rows AS t(b, c, m))""".stripMargin,
      "[27,[13,19],[6,19],-Infinity]"
    )
  }

  test("counts of every number type, bounds that are times, and NULL") {
    val counts =
      Seq("array(1Y, 2Y)", "array(1L, 2L)", "array(1.0D, 2.0D)", "array(1.0, 2.0)", "array(1F, 2F)") :+
        "CAST(array(1, 2) AS ARRAY<DECIMAL(20,0)>)"
    counts.foreach(c => checkAnswers(s"SELECT sketch_count(sketch_from_histogram(array(3), $c))", "[3]"))
    checkAnswers(
      """SELECT sketch_quantile_bounds(sketch_from_histogram(array(DATE'2026-01-01', DATE'2026-02-01'), array(5, 9, 0),
        |  minimum => DATE'2025-01-01'), 0.9, 'date')""".stripMargin,
      "[[2026-01-02,2026-02-01]]"
    )
    checkAnswers(
      s"""SELECT sketch_from_histogram(NULL, array(1)), sketch_from_histogram(array(1), NULL),
         |  sketch_from_histogram(array(1), array(1, 2), CAST(NULL AS BOOLEAN)),
         |  sketch_from_exponential_histogram(0, 0, NULL, array(), 0, array()),
         |  sketch_count(sketch_from_histogram(array(), array(5))),
         |  sketch_quantile(sketch_from_histogram(array(1), array(0, 0)), 0.5)""".stripMargin,
      "[null,null,null,null,5,null]"
    )
  }

  test("exponential histograms of a column, as OpenTelemetry exports them") {
    checkAnswers(
      """SELECT sketch_count(s), sketch_quantile_bounds(s, 0.5), sketch_quantile_bounds(s, 0), sketch_max(s) FROM (
        |  SELECT sketch_merge_agg(sketch_from_exponential_histogram(scale, zeros, offset, counts, 0, array(1), maximum => top)) AS s
        |  FROM VALUES (0, 2L, 0, array(1L, 5L, 1L), 6.5D), (-1, 0L, 0, array(7L), 3D) AS t(scale, zeros, offset, counts, top))""".stripMargin,
      "[18,[1.0000000000000002,3.0],[-4.0,-1.0000000000000002],6.5]"
    )
  }

  test("KLL sketches that Spark built, of each of its types, are within their stated error") {
    val n = 50000
    Seq("bigint" -> 1, "double" -> 7, "float" -> 1).foreach { case (items, share) =>
      val points = (0 until n by 4999).map(id => s"CAST($id / ${share}D AS $items)")
      val row = rows(
        s"SELECT kll_sketch_get_rank_$items(k, ${points.mkString("array(", ", ", ")")}), " +
          s"${points.map(p => s"sketch_rank_bounds(s, $p)").mkString("array(", ", ", ")")}, " +
          "sketch_describe(s).confidence, sketch_count(s), sketch_max(s) " +
          s"FROM (SELECT k, sketch_from_kll(k, '$items') AS s FROM " +
          s"(SELECT kll_sketch_agg_$items(CAST(id / ${share}D AS $items)) AS k FROM range($n)))"
      ).head
      val (estimates, bounds) = (row.getSeq[Double](0), row.getSeq[org.apache.spark.sql.Row](1))
      assertEquals(bounds.size, points.size)
      estimates.zip(bounds).foreach { case (estimate, of) =>
        val (low, high) = (of.getLong(0), of.getLong(1))
        assert(low <= estimate * n + 1 && estimate * n <= high + 1, s"$items: $estimate, $of")
        // the error of a KLL sketch with k = 200
        assert(high - low <= 2 * 0.0133 * n + 2, s"$items: $of")
      }
      assertEquals((row.getDouble(2), row.getLong(3)), (0.99, n.toLong))
      assertEqualsDouble(row.getDouble(4), (n - 1.0) / share, 1e-9)
    }
    checkAnswers(
      "SELECT sketch_from_kll(NULL, 'double'), sketch_count(sketch_from_kll(kll_sketch_agg_double(v), 'double')) FROM VALUES (NULL) AS t(v)",
      "[null,0]"
    )
  }
}
