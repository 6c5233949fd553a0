package chronosketch.spark.aggregate

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** Compares n_least and n_greatest with the sorted values of groups and of frames. */
class ExtremeValuesSuite extends SparkSuite {
  private def check(value: String, from: String, more: String = ""): Unit =
    for (n <- Seq(2, 1000)) {
      val ends = s"n_least($value, $n)$more, n_greatest($value, $n)$more"
      val lists =
        Seq(true, false).map(up => s"slice(sort_array(collect_list($value)$more, $up), 1, $n)").mkString(", ")
      // compare as text, because NaN does not equal itself
      def text(answers: String): Seq[String] = rows(s"SELECT k, $answers FROM $from").map(_.toString)
      assertEquals(text(ends), text(lists), s"$value, $n")
    }

  test("groups with ties, NULLs, NaN and infinities") {
    sql(
      "SELECT id % 2 AS k, CASE id % 5 WHEN 0 THEN double('NaN') WHEN 1 THEN double('-Infinity') WHEN 2 THEN NULL ELSE id % 7 / 7D END AS v FROM range(50)"
    )
      .createOrReplaceTempView("special")
    check("v", "special GROUP BY k ORDER BY k")
  }

  test("many rows in partitions, no rows, only NULLs, DISTINCT and FILTER") {
    assertEquals(
      one("SELECT n_greatest(pmod(xxhash64(id), 1000003), 5) FROM range(0, 200000, 1, 7)"),
      one(
        "SELECT slice(sort_array(collect_list(pmod(xxhash64(id), 1000003)), false), 1, 5) FROM range(200000)"
      )
    )
    assertEquals(rows("SELECT n_least(id, 3) FROM range(0)"), Seq(Row(Seq.empty)))
    assertEquals(
      rows("SELECT n_least(CAST(NULL AS INT), 3), n_least(NULL, 2) FROM range(4)"),
      Seq(Row(Nil, Nil))
    )
    assertEquals(one("SELECT n_least(DISTINCT id % 3, 2) FROM range(9)"), Seq(0L, 1L))
    assertEquals(one("SELECT n_least(id, 2) FILTER (WHERE id > 5) FROM range(9)"), Seq(6L, 7L))
    // in a query with a sketch both run in Spark's own operator
    assertEquals(
      rows("SELECT n_least(id, 2), approx_quantile(id, 0.5) FROM range(1, 101)"),
      Seq(Row(Seq(1L, 2L), 50L))
    )
  }

  test("sliding frames, in our operator and in Spark's") {
    sql(
      "SELECT id, id % 3 AS k, IF(id % 11 = 0, NULL, pmod(hash(id), 40) / 4D) AS v, CAST(pmod(hash(id, 1), 90) AS INT) AS t FROM range(0, 400, 1, 3)"
    )
      .createOrReplaceTempView("slid")
    val frames = Seq(
      "ORDER BY id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW",
      "ORDER BY id ROWS BETWEEN 3 FOLLOWING AND 4 FOLLOWING",
      "ORDER BY t RANGE BETWEEN 5 PRECEDING AND 2 FOLLOWING",
      "ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    )
    for (frame <- frames; n <- Seq(1, 4, 65)) {
      val over = s"OVER (PARTITION BY k $frame)"
      val query =
        s"SELECT id, n_least(v, $n) $over, n_greatest(v, $n) FILTER (WHERE t < 60) $over FROM slid ORDER BY id"
      val plan = sql(query).queryExecution.executedPlan.toString
      assertEquals(plan.contains("SketchWindow"), n < 65, plan)
      val lists = rows(
        s"SELECT id, collect_list(v) $over, collect_list(v) FILTER (WHERE t < 60) $over FROM slid ORDER BY id"
      )
      rows(query).zip(lists).foreach { case (found, of) =>
        assertEquals(
          found.getSeq[Double](1),
          of.getSeq[Double](1).sorted.take(n),
          s"$frame, row ${of.get(0)}"
        )
        assertEquals(
          found.getSeq[Double](2),
          of.getSeq[Double](2).sorted.reverse.take(n),
          s"$frame, row ${of.get(0)}"
        )
      }
    }
  }

  test("invalid arguments are refused") {
    assertEquals(
      refusal("SELECT n_least(id, 0) FROM range(3)").getCondition,
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"
    )
    assertEquals(
      refusal("SELECT n_greatest(id, 1001) FROM range(3)").getCondition,
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"
    )
    assertEquals(
      refusal("SELECT n_least(id, id) FROM range(3)").getCondition,
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT"
    )
    assertEquals(
      refusal("SELECT n_least(id, 2.5) FROM range(3)").getCondition,
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
    )
    assertEquals(
      refusal("SELECT n_least('a', 2) FROM range(3)").getCondition,
      "CHRONOSKETCH_UNSUPPORTED_TYPE"
    )
  }
}
