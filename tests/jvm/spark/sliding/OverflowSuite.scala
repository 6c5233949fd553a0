package chronosketch.spark.sliding

import chronosketch.spark.TestLog

/** Tests Spark's own functions OVER sliding frames whose answers overflow or divide by zero: the same errors or NULLs as Spark's. */
class OverflowSuite extends SlidingSuite {
  private def condition(query: String, isOurs: Boolean): String =
    withConf(SlidingConf.Accelerate -> (if (isOurs) "all" else "")) {
      val asked = sql(query)
      assertEquals(
        SlidingAnswers(asked.schema, Nil, asked.queryExecution.executedPlan).operators.nonEmpty,
        isOurs
      )
      try TestLog.expectingFailure(asked.collect()).map(_.get(0)).mkString(",")
      catch {
        case e: org.apache.spark.SparkThrowable => e.getCondition
        case e: Exception => e.getCause.asInstanceOf[org.apache.spark.SparkThrowable].getCondition
      }
    }

  private def ends(values: String*): String =
    s"(SELECT posexplode(array(${values.mkString(", ")})) AS (at, v))"
  private val last2 = "OVER (ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"

  for (ansi <- Seq("true", "false"))
    test(s"overflow and division by zero, ANSI $ansi") {
      withConf("spark.sql.ansi.enabled" -> ansi) {
        val queries = Seq(
          s"SELECT sum(v) $last2 FROM ${ends("1L", s"${Long.MaxValue}L", "1L")}",
          s"SELECT sum(v) $last2 FROM ${ends("-1L", s"-${Long.MaxValue}L", "-1L")}",
          s"SELECT try_sum(v) $last2 FROM ${ends("1L", s"${Long.MaxValue}L", "1L")}",
          s"SELECT sum(v) $last2 FROM ${ends("2147483647", "2147483647")}",
          s"SELECT sum(v) $last2 FROM ${ends("1e308D", "1e308D")}",
          s"SELECT corr(v, at) $last2 FROM ${ends("1D", "1D", "2D")}",
          s"SELECT skewness(v) $last2 FROM ${ends("1D", "1D", "2D")}",
          s"SELECT kurtosis(v) $last2 FROM ${ends("0D", "1e-100D")}",
          s"SELECT regr_slope(at, v) $last2 FROM ${ends("1D", "1D", "2D")}"
        )
        val outcomes = queries.map { q =>
          val ours = condition(q, isOurs = true)
          assertEquals(ours, condition(q, isOurs = false), q)
          ours
        }
        assertEquals(outcomes.contains("ARITHMETIC_OVERFLOW"), ansi == "true", outcomes)
        assertEquals(outcomes.contains("DIVIDE_BY_ZERO"), ansi == "true", outcomes)
      }
    }

  test("a sum of which only an intermediate result overflows") {
    val wide = "OVER (ORDER BY at ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"
    val query =
      s"SELECT sum(v) $wide FROM ${ends(s"${Long.MaxValue}L - 1", "1L", "-5L", s"${Long.MaxValue}L")}"
    assertEquals(
      condition(query.replace("-5L", "-9L"), isOurs = true).split(',').toSeq.last,
      (Long.MaxValue - 8).toString
    )
  }
}
