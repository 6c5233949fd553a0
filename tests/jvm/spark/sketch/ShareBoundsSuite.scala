package chronosketch.spark.sketch

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** Tests sketch_cdf_bounds on sketches of every family. */
class ShareBoundsSuite extends SparkSuite {

  /** Sketches of the first half of the rows. */
  private val builders = Seq(
    "quantile_sketch_agg(v, 0.05) FILTER (WHERE id < 2500)",
    "quantile_sketch_agg(v, 0.05, tail => 'high') FILTER (WHERE id < 2500)",
    "quantile_sketch_agg(v, 0.05, tail => 'low') FILTER (WHERE id < 2500)",
    "quantile_sketch_agg(v, 0.05, tail => 'both') FILTER (WHERE id < 2500)",
    "ddsketch_agg(v, 0.05) FILTER (WHERE id < 2500)",
    "sketch_from_ddsketch(sketch_to_ddsketch(ddsketch_agg(v, 0.05) FILTER (WHERE id < 2500 AND abs(v) < 1e300)))",
    "sketch_window(window_sketch_agg(v, -id, 0.05), 2500)",
    "sketch_at_version(history_sketch_agg(v, id, epsilon => 0.05), 2499)",
    "sample_sketch_agg(v, 5000) FILTER (WHERE id < 2500)",
    "sketch_window(window_sample_agg(v, -id, 5000), 2500)"
  )

  private val points =
    Seq("-Infinity", "-1e300", "-7", "0", "1e-310", "7", "40", "41.5", "400", "1e300", "Infinity", "NaN")
      .map(p => s"double('$p')").mkString("array(", ", ", ")")

  /** Rows of many values, with ties, and with infinities and NaN. */
  private val values = Seq(
    "xxhash64(id) % 500 / 10D",
    "pmod(xxhash64(id), 4) * 20D",
    "exp(xxhash64(id) / 2e18D)",
    """CASE id % 9 WHEN 0 THEN double('NaN') WHEN 1 THEN double('Infinity') WHEN 2 THEN double('-Infinity')
      |WHEN 3 THEN 7D WHEN 4 THEN 0D WHEN 5 THEN 1e-310D ELSE xxhash64(id) % 50 END""".stripMargin
  )

  values.foreach { value =>
    test(s"the exact share is within the bounds for every family: ${value.takeWhile(_ != '\n')}") {
      val isFinite = !value.contains("NaN")
      val asked = builders.filter(b => isFinite || !b.contains("sketch_from_ddsketch"))
      spark.sql(s"SELECT id, $value AS v FROM range(5000)").createOrReplaceTempView("measured")
      val shares = rows(
        s"SELECT avg(IF(v <= p, 1D, 0D)) FROM measured, (SELECT posexplode($points) AS (i, p)) WHERE id < 2500 GROUP BY i ORDER BY i"
      ).map(_.getDouble(0))
      val row = rows(
        s"SELECT ${asked.map(b => s"sketch_cdf_bounds($b, $points), sketch_cdf($b, $points)").mkString(", ")} FROM measured"
      ).head
      asked.zipWithIndex.foreach { case (builder, i) =>
        val bounds = row.getSeq[Row](2 * i)
        val cdf = row.getSeq[Double](2 * i + 1)
        assertEquals(bounds.map(_.getDouble(0)), cdf, builder)
        bounds.zip(shares).foreach { case (bound, exact) =>
          val Row(share: Double, low: Double, high: Double) = bound: @unchecked
          assert(low <= exact && exact <= high, s"$builder: $exact is not in [$low, $high]")
          assert(low <= share && share <= high, s"$builder: the answer $share is not in [$low, $high]")
        }
        assert(bounds.forall(b => b.getDouble(2) - b.getDouble(1) < 0.5), builder)
      }
    }
  }

  test("the bounds of samples and imported sketches are those of their ranks") {
    val row = rows(
      """SELECT sketch_cdf_bounds(s, 400), sketch_rank_bounds(s, 400), sketch_cdf_bounds(i, 40), sketch_rank_bounds(i, 40)
        |FROM (SELECT sample_sketch_agg(id, 100, seed => 3) AS s FROM range(1000)),
        |(SELECT sketch_from_histogram(array(10, 50), array(7, 80, 13)) AS i)""".stripMargin
    ).head
    for (i <- Seq(0, 2)) {
      val Row(share: Double, low: Double, high: Double) = row.getStruct(i): @unchecked
      val Row(least: Long, most: Long) = row.getStruct(i + 1): @unchecked
      val n = if (i == 0) 1000.0 else 100.0
      assertEquals((low, high), (least / n, most / n))
      assert(low < share && share < high, row)
    }
  }

  test("sketches that bound no ranks are refused by name") {
    Seq(
      "moments_agg(id)" -> "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "qlove_sketch_agg(id, id, array(0.5), 6)" -> "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
      "history_sketch_agg(id, id)" -> "CHRONOSKETCH_WHICH_VERSION"
    ).foreach { case (builder, condition) =>
      val refused = refusal(s"SELECT sketch_cdf_bounds($builder, 5) FROM range(10)")
      assertEquals(refused.getCondition, condition, builder)
      if (condition.endsWith("ANSWERED")) {
        val able = refused.getMessageParameters.get("able")
        assert(able.contains("ddsketch") && able.contains("quantile sketch"), able)
      }
    }
  }

  test("the share of a ddsketch at a value that many rows have is that of all rows up to it") {
    assertEquals(
      one(
        "SELECT sketch_cdf_bounds(ddsketch_agg(CASE WHEN id < 10 THEN 10D * id WHEN id < 16 THEN 250D ELSE 1000D * id END), 250D) FROM range(40)"
      ),
      Row(0.4, 0.25, 0.4)
    )
  }
}
