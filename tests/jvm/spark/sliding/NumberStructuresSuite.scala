package chronosketch.spark.sliding

import org.apache.spark.sql.Row

import chronosketch.Cases

/** Compares counts, sums, means and variances OVER by the structures of the thesis with exact answers for the same frames. */
class NumberStructuresSuite extends SlidingSuite {
  private val values = Seq(
    "positive" -> "-ln(rand(3))",
    "few large" -> "IF(pmod(hash(id), 50) = 0, 1e6, rand(3))",
    "all equal" -> "7D",
    "zeros" -> "0D",
    "of both signs" -> "rand(3) - 0.5D",
    "far from zero" -> "1e9 + rand(3)",
    "huge" -> "1.7e308 * rand(3)",
    "specials" -> "CASE pmod(hash(id, 8), 90) WHEN 0 THEN double('NaN') WHEN 1 THEN double('-Infinity') WHEN 2 THEN -0.0D WHEN 3 THEN NULL ELSE rand(5) END"
  )

  private val frames = Seq(
    "ORDER BY id ROWS BETWEEN 700 PRECEDING AND CURRENT ROW",
    "ORDER BY id ROWS BETWEEN 100 FOLLOWING AND 430 FOLLOWING",
    "ORDER BY t RANGE BETWEEN 1000 PRECEDING AND 300 FOLLOWING",
    "ORDER BY t NULLS LAST RANGE BETWEEN 350 PRECEDING AND CURRENT ROW"
  )

  private val counts = Seq("count(v)", "count(*)")
  private val sums = Seq("sum(v)", "avg(v)", "sum(CAST(v AS FLOAT))")
  private val spreads = Seq("var_pop(v)", "var_samp(v)", "stddev_pop(v)", "stddev(v)")

  private def view(value: String): Unit = {
    spark.range(0, 4000, 1, 2).selectExpr(
      "id",
      "pmod(hash(id, 1), 2) AS k",
      s"$value AS v",
      "IF(pmod(hash(id, 6), 40) = 0, NULL, pmod(hash(id, 7), 4000)) AS t"
    ).createOrReplaceTempView("drawn")
    spark.table("drawn").localCheckpoint().createOrReplaceTempView("numbers")
  }

  private def answers(structure: String, functions: Seq[String], frame: String): Map[Long, Row] = {
    val over = functions.map(f => s"$f OVER (PARTITION BY k $frame)")
    withConf(
      SlidingConf.Structure -> structure,
      SlidingConf.Epsilon -> "0.05",
      SlidingConf.Accelerate -> "all"
    )(inOurs(sql(s"SELECT id, ${over.mkString(", ")} FROM numbers"))).rows.map(r => r.getLong(0) -> r).toMap
  }

  /** The number of answers that differ from the exact ones. Asserts that each relative error is at most ε = 0.05. */
  private def countDifferences(
      structure: String,
      functions: Seq[String],
      frame: String,
      value: String
  ): Int = {
    val exact = answers("auto", functions, frame)
    var differ = 0
    answers(structure, functions, frame).foreach { case (id, row) =>
      functions.indices.foreach { f =>
        val (found, wanted) = (row.get(f + 1), exact(id).get(f + 1))
        if (!java.util.Objects.equals(found, wanted)) {
          val (a, b) = (found.toString.toDouble, wanted.toString.toDouble)
          assert(
            math.abs(a - b) <= math.abs(b) * 0.05 * (1 + 1e-9),
            s"$value, ${functions(f)}, $frame, row $id: $a and not $b"
          )
          if (math.abs(a - b) > 1e-9 * math.abs(b)) differ += 1
        }
      }
    }
    differ
  }

  for ((name, value) <- Cases.some(5, values))
    test(s"within epsilon of the exact answers: $name") {
      view(value)
      val isPlain = Set("positive", "few large", "far from zero")(name)
      Cases.some(3, frames).foreach { frame =>
        val ofHistogram = countDifferences("exponential_histogram", counts ++ sums, frame, name)
        val ofVariance = countDifferences("variance_histogram", spreads :+ "avg(v)", frame, name)
        assertEquals(countDifferences("expiration_list", counts ++ sums, frame, name), 0, frame)
        if (isPlain) assert(ofHistogram > 1000, s"$ofHistogram, $frame")
        if (name == "positive") assert(ofVariance > 1000, s"$ofVariance, $frame")
      }
    }

  test("frames with only NULL, without rows, and with one row") {
    spark.range(3).selectExpr("id", "0 AS k", "CAST(NULL AS DOUBLE) AS v", "id AS t")
      .createOrReplaceTempView("numbers")
    val few = "ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING"
    for (structure <- Seq("exponential_histogram", "variance_histogram", "expiration_list")) {
      assertEquals(
        answers(structure, counts ++ sums ++ spreads, few),
        answers("auto", counts ++ sums ++ spreads, few)
      )
      spark.range(3).selectExpr("id", "0 AS k", "id / 1D AS v", "id AS t").createOrReplaceTempView("numbers")
      assertEquals(
        answers(structure, counts ++ sums ++ spreads, few),
        answers("auto", counts ++ sums ++ spreads, few)
      )
    }
  }

  test("EXPLAIN shows the structure, or says why it cannot answer") {
    view("rand(3)")
    def structure(name: String, function: String): String =
      withConf(SlidingConf.Structure -> name, SlidingConf.Accelerate -> "all") {
        val text = sql(
          s"EXPLAIN FORMATTED SELECT $function OVER (PARTITION BY k ${frames.head}) FROM numbers"
        ).head().getString(0)
        text.linesIterator.find(_.startsWith("Structure: ")).get.drop(11)
      }
    assertEquals(structure("exponential_histogram", "sum(v)"), "exponential histogram within 0.01")
    assertEquals(structure("exponential_histogram", "count(v)"), "exponential histogram within 0.01")
    assertEquals(structure("variance_histogram", "stddev(v)"), "variance histogram within 0.01")
    assertEquals(structure("expiration_list", "var_pop(v)"), "expiration list")
    assertEquals(
      structure("variance_histogram", "avg(v)"),
      "compensated sums (not variance_histogram: its means have no error bound)"
    )
    assertEquals(
      structure("variance_histogram", "count(v)"),
      "variance histogram within 0.01"
    )
    assertEquals(
      structure("exponential_histogram", "var_pop(v)"),
      "moments (not exponential_histogram: it only answers count, sum, mean of FLOAT and DOUBLE)"
    )
    assertEquals(
      structure("exponential_histogram", "sum(id)"),
      "128-bit sums (not exponential_histogram: it only answers count, sum, mean of FLOAT and DOUBLE)"
    )
    assertEquals(
      structure("panes", "sum(v)"),
      "compensated sums (not panes: frames move by one row, so each pane would have one row)"
    )
    assertEquals(
      structure("variance_histogram", "approx_quantile(v, 0.5)"),
      "block sort (not variance_histogram: it can't answer quantiles)"
    )
    assertEquals(
      structure("cmqs", "percentile(v, 0.5)"),
      "block sort (not cmqs: it only answers approx_quantile)"
    )
    intercept[IllegalArgumentException](spark.conf.set(SlidingConf.Epsilon, "0"))
    intercept[IllegalArgumentException](spark.conf.set(SlidingConf.Epsilon, "0.6"))
  }
}
