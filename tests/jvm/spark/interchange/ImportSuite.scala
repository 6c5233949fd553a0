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

  test("Spark's KLL functions read sketches of each type within the bounds, and what they merge") {
    val groups = 3400 // more than 10 000 sketches of three types
    val epsilon = 0.01
    val phis = Seq(0, 0.1, 0.5, 0.9, 0.99, 1)
    Seq("bigint" -> "CAST(v AS BIGINT)", "double" -> "v", "float" -> "CAST(v AS FLOAT)").foreach {
      case (items, value) =>
        val asked = s"array(${phis.mkString("D, ")}D)"
        val answers = Seq(
          s"kll_sketch_get_quantile_$items(kll, $asked)",
          s"kll_sketch_get_quantile_$items(small, $asked)",
          s"sketch_quantile(sketch_from_kll(kll, '$items'), $asked)"
        ).map(answer => s"CAST($answer AS ARRAY<DOUBLE>)").mkString(", ")
        val query =
          s"""WITH values AS (
             |  SELECT id % $groups AS g, exp(4 * rand(7)) * 1000 AS v FROM range(${groups * 300})
             |), sketches AS (
             |  SELECT quantile_sketch_agg($value, $epsilon) AS s, collect_list(CAST($value AS DOUBLE)) AS all FROM values GROUP BY g
             |), written AS (
             |  SELECT all, sketch_to_kll(s) AS kll, sketch_to_kll(s, 100) AS small FROM sketches
             |)
             |SELECT all, kll_sketch_get_n_$items(kll), $answers FROM written""".stripMargin
        val read = rows(query)
        assertEquals(read.size, groups)
        read.foreach { row =>
          val all = row.getSeq[Double](0).toArray
          assertEquals(row.getLong(1), all.length.toLong)
          // the library's error for k = 100
          Seq(2 -> 2 * epsilon, 3 -> 0.0261, 4 -> 2 * epsilon).foreach { case (column, most) =>
            phis.zip(row.getSeq[Double](column)).foreach { case (phi, answer) =>
              val rank = math.max(1, math.ceil(phi * all.length))
              val first = all.count(_ < answer) + 1
              val last = all.count(_ <= answer)
              val error = math.max(math.max(first - rank, rank - last), 0) / all.length
              assert(error <= most, s"$items, $phi of column $column: $answer, by $error")
            }
          }
        }
    }
    val merged = rows(
      s"""SELECT kll_sketch_get_n_double(m), kll_sketch_get_rank_double(m, array(10D, 500D, 900D)), sketch_rank(sketch_from_kll(m, 'double'), 500D)
         |FROM (SELECT kll_merge_agg_double(kll) AS m FROM (
         |  SELECT sketch_to_kll(quantile_sketch_agg(CAST(id DIV 100 AS DOUBLE), $epsilon)) AS kll FROM range(100000) GROUP BY id % 50))""".stripMargin
    ).head
    assertEquals(merged.getLong(0), 100000L)
    merged.getSeq[Double](1).zip(Seq(0.011, 0.501, 0.901)).foreach { case (rank, exact) =>
      // twice epsilon, and twice the claim, which is wrong once in four million questions
      assertEqualsDouble(rank, exact, 0.08)
    }
    assertEqualsDouble(merged.getLong(2) / 1e5, 0.501, 0.08)
    checkAnswers(
      "SELECT sketch_to_kll(NULL), kll_sketch_get_n_double(sketch_to_kll(quantile_sketch_agg(v))) FROM VALUES (CAST(NULL AS DOUBLE)) AS t(v)",
      "[null,0]"
    )
  }

  test("types without a KLL sketch are refused with an expression that has one") {
    val values = Seq(
      "1.50" -> "1.5",
      "DATE'1970-01-03'" -> "2.0",
      "TIMESTAMP'1970-01-01 00:00:01+00:00'" -> "1000000.0",
      "TIMESTAMP_NTZ'1970-01-01 00:00:01'" -> "1000000.0",
      "INTERVAL '-1-1' YEAR TO MONTH" -> "-13.0",
      "INTERVAL '2' YEAR" -> "24.0",
      "INTERVAL '1 00:00:00.000001' DAY TO SECOND" -> "8.6400000001E10",
      "INTERVAL '-2' HOUR" -> "-7.2E9",
      "TIME'00:00:01'" -> "1000000.0"
    )
    withConf("spark.sql.timeType.enabled" -> "true") {
      values.foreach { case (value, number) =>
        def ask(argument: String) =
          s"SELECT sketch_to_kll(quantile_sketch_agg($argument)) AS kll FROM (SELECT $value AS value)"
        val refused = refusal(ask("value"))
        assertEquals(refused.getCondition, "CHRONOSKETCH_NOT_EXPORTABLE", value)
        val fix = refused.getMessageParameters.get("fix")
        val items = if (value == "1.50") "double" else "bigint"
        checkAnswers(
          s"SELECT sketch_quantile(sketch_from_kll(kll, '$items'), 0.5) FROM (${ask(fix.split("Build the sketch of ").last)})",
          s"[$number]"
        )
      }
    }
  }

  test("imported KLL sketches answer as the library does, at the ends too") {
    val row = rows(
      """SELECT kll_sketch_get_quantile_double(k, array(0.005D, 0.5D, 0.99D, 0.995D, 0.999D)),
        |  sketch_quantile(sketch_from_kll(k, 'double'), array(0.005D, 0.5D, 0.99D, 0.995D, 0.999D)),
        |  sketch_quantile_bounds(sketch_from_kll(k, 'double'), 0.995)
        |FROM (SELECT kll_sketch_agg_double(v) AS k FROM (SELECT exp(2 * randn(7) + 1) AS v FROM range(100000)))""".stripMargin
    ).head
    assertEquals(row.getSeq[Double](1), row.getSeq[Double](0))
    val bounds = row.getStruct(2)
    assert(bounds.getDouble(0) <= row.getSeq[Double](1)(3) && row.getSeq[Double](1)(3) < bounds.getDouble(1))
  }

  test("interpolation inside a bucket is that of histogram_quantile, with the bounds of the bucket") {
    val s = "sketch_from_histogram(array(0.1, 1, 10), array(20, 95, 100, 104), cumulative => true)"
    checkAnswers(
      s"""SELECT sketch_quantile(s, array(0, 0.5, 0.9, 0.99), interpolation => 'linear'), sketch_quantile_bounds(s, 0.5, interpolation => 'linear'),
         |  sketch_quantile(s, 0.99) FROM (SELECT $s AS s)""".stripMargin,
      "[ArraySeq(0.0, 0.484, 0.9832, 10.000000000000002),[0.10000000000000002,1.0],10.000000000000002]"
    )
    checkAnswers(
      """SELECT sketch_quantile(s, 0.5, interpolation => 'linear')
        |FROM (SELECT sketch_from_histogram(array(0.1, 1, 10), array(20, 95, 100, 100), cumulative => true) AS s)""".stripMargin,
      "[0.46]"
    )
    checkAnswers(
      """SELECT sketch_quantile_bounds(s, 0.5, interpolation => 'linear')
        |FROM (SELECT sketch_from_histogram(array(0.1D), array(5, 5)) AS s)""".stripMargin,
      "[[-Infinity,Infinity]]"
    )
  }

  test("imported DDSketches answer within their alpha") {
    val worst = rows(
      """WITH values AS (SELECT exp(3 * randn(1)) AS v FROM range(20000)),
        |  theirs AS (SELECT sketch_from_ddsketch(sketch_to_ddsketch(ddsketch_agg(v, 0.02))) AS s FROM values),
        |  exact AS (SELECT array(percentile_disc(0.001) WITHIN GROUP (ORDER BY v), percentile_disc(0.5) WITHIN GROUP (ORDER BY v),
        |    percentile_disc(0.999) WITHIN GROUP (ORDER BY v)) AS x FROM values),
        |  both AS (SELECT x, sketch_quantile(s, array(0.001, 0.5, 0.999)) AS y FROM theirs, exact)
        |SELECT array_max(transform(arrays_zip(x, y), t -> abs(t.y - t.x) / t.x))
        |FROM both""".stripMargin
    ).head.getDouble(0)
    assert(worst <= 0.0200001, s"$worst")
  }
}
