package chronosketch.spark.aggregate.operator

import chronosketch.Cases

/** Tests that Spark's own functions give the same answers in our operator as in Spark's. */
class BesideSparkSuite extends OperatorSuite {
  // quarters of small numbers, whose sums are exact in any order
  private def view(): Unit = spark.range(0, 240, 1, 2).selectExpr(
    "id",
    "id % 3 AS k",
    "IF(id % 5 = 0, NULL, int(id % 17) - 8) AS i",
    "IF(id % 7 = 0, NULL, id / 4) AS d",
    "IF(id % 6 = 0, NULL, CAST(id / 4 - 20 AS DECIMAL(10,2))) AS small",
    "IF(id % 6 = 0, NULL, CAST(id / 4 AS DECIMAL(38,2)) * 1000000000000000000) AS large",
    "id % 4 = 0 AS yes",
    "date_add(DATE'2020-01-01', int(id)) AS day",
    "timestamp_seconds(id) AS at",
    "make_dt_interval(0, 0, 0, id) AS span",
    "make_interval(0, int(id), 0, 1) AS calendar"
  ).createOrReplaceTempView("beside")

  private val ours = "approx_quantile(i, 0.5), quantile_sketch_agg(d)"

  private val functions = Seq(
    "counts" -> "count(*), count(i), count(i, d), count_if(yes), regr_count(d, i)",
    "sums" -> "sum(i), sum(d), sum(small), sum(large), sum(span), try_sum(i)",
    "averages" -> "avg(i), avg(d), avg(small), avg(CAST(small AS DECIMAL(30,2))), avg(span), try_avg(i), mean(d)",
    "extremes" -> "min(i), max(d), min(small), max(large), min(yes), max(day), min(at), max(span), min(float(d))",
    "by another" -> "max_by(i, id), min_by(d, id), max_by(large, id), min_by(day, -id)",
    "moments" -> "stddev(i), stddev_pop(i), variance(d), var_pop(i), skewness(i), kurtosis(i)",
    "two columns" -> "corr(i, d), covar_samp(i, d), covar_pop(i, d)",
    "regressions" -> "regr_slope(d, i), regr_intercept(d, i), regr_r2(d, i), regr_avgx(d, i), regr_avgy(d, i), regr_sxx(d, i), regr_syy(d, i), regr_sxy(d, i)",
    "any of equal ones" -> "first(k), last(k), any_value(k), first(large - large, true), last(IF(yes, NULL, k), true)",
    "an interval" -> "first(IF(yes, make_interval(1, 2), make_interval(1, 2))), any_value(make_interval(0, int(k)))",
    "bits and truths" -> "bit_and(i), bit_or(i), bit_xor(i), bool_and(yes), bool_or(yes), every(yes), some(yes)",
    "of nothing" -> "sum(NULL), max(NULL), avg(CAST(NULL AS DECIMAL(38,2))), first(CAST(NULL AS DECIMAL(38,2)))"
  )

  functions.zipWithIndex.foreach { case ((name, these), i) =>
    test(s"$name has Spark's answers, compiled or not, grouped or not, filtered or not") {
      view()
      // one task for each aggregation, so that functions that depend on the order of rows agree, too
      val shapes = Seq(
        s"SELECT k, $ours, $these FROM (SELECT /*+ COALESCE(1) */ * FROM beside) GROUP BY k",
        s"SELECT k, yes, $these, $ours FROM beside WHERE id % 9 <> 2 GROUP BY k, yes",
        s"SELECT $these, $ours FROM (SELECT /*+ COALESCE(1) */ * FROM beside)",
        s"SELECT $these, $ours FROM beside WHERE pmod(id * 3, 7) > 6"
      )
      Cases.turn(i, Seq(shapes.take(2), shapes.drop(2))).flatten.foreach { query =>
        val answers = assertSame(query)
        if (query.endsWith("k")) // only one of them, because planning takes the longest
          withConf(OperatorSuite.notCompiled: _*)(assertEqual(
            inOurs(sql(query)),
            answers,
            s"not compiled: $query"
          ))
      }
    }
  }

  test("each function has a filter, and some conditions are NULL") {
    view()
    val filtered =
      s"""count(*) FILTER (WHERE i > 0), sum(small) FILTER (WHERE d > 10), $ours, avg(i) FILTER (WHERE yes),
         |  max(large) FILTER (WHERE CAST(NULL AS BOOLEAN)), stddev(i) FILTER (WHERE id % 2 = 0), first(k) FILTER (WHERE i IS NULL)
         |FROM (SELECT /*+ COALESCE(1) */ * FROM beside)""".stripMargin
    for (query <- Seq(s"SELECT k, $filtered GROUP BY k", s"SELECT $filtered")) {
      val answers = assertSame(query)
      withConf(OperatorSuite.notCompiled: _*)(assertEqual(inOurs(sql(query)), answers, query))
    }
  }

  test("a sum of decimals with more than 38 digits is NULL without ANSI, and an error with it") {
    val from =
      "(SELECT CAST('9' || repeat('0', 37) AS DECIMAL(38,0)) AS v, id % 2 AS k, id FROM range(0, 40, 1, 2))"
    Seq(Nil, OperatorSuite.notCompiled).foreach { conf =>
      Seq("GROUP BY k", "").foreach { by =>
        val query = s"SELECT sum(v), approx_quantile(id, 0.5), count(v) FROM $from $by"
        withConf(conf :+ ("spark.sql.ansi.enabled" -> "false"): _*) {
          assert(assertSame(query).rows.forall(_.startsWith("{NULL, ")))
        }
        withConf(conf :+ ("spark.sql.ansi.enabled" -> "true"): _*)(assertSameRefusal(query))
      }
    }
  }

  test("a sum of whole numbers beyond 64 bits: an error with ANSI, NULL by try_sum, else it wraps around") {
    val from = "(SELECT 9223372036854775807 AS v, id % 2 AS k, id FROM range(0, 40, 1, 2))"
    Seq(Nil, OperatorSuite.notCompiled).foreach { conf =>
      withConf(conf :+ ("spark.sql.ansi.enabled" -> "true"): _*) {
        assertEquals(
          assertSameRefusal(s"SELECT sum(v), approx_quantile(id, 0.5) FROM $from GROUP BY k").getCondition,
          "ARITHMETIC_OVERFLOW"
        )
        assertSame(s"SELECT try_sum(v), approx_quantile(id, 0.5) FROM $from GROUP BY k")
      }
      withConf(conf :+ ("spark.sql.ansi.enabled" -> "false"): _*) {
        assertSame(s"SELECT sum(v), approx_quantile(id, 0.5) FROM $from GROUP BY k")
      }
    }
  }

  test("a common subexpression is evaluated for each row") {
    view()
    val query =
      """SELECT k, sum(i * 3 + 1), max(i * 3 + 1), approx_quantile(i * 3 + 1, array(0, 0.5, 1)), quantile_sketch_agg(i * 3 + 1, 0.01),
        |  approx_quantile(d, 0.5, frequency => abs(i * 3 + 1)), avg(i * 3 + 1) FILTER (WHERE i * 3 + 1 > 0)
        |FROM beside GROUP BY k, i * 3 + 1 > 0""".stripMargin
    val answers = assertSame(query)
    withConf(OperatorSuite.notCompiled: _*)(assertEqual(inOurs(sql(query)), answers, query))
  }

  test("sums of doubles in one task equal Spark's to the last bit") {
    val query =
      "SELECT id % 3 AS k, sum(sin(id)), avg(sin(id)), stddev(sin(id)), corr(sin(id), cos(id)), approx_quantile(sin(id), 0.5) FROM range(0, 500, 1, 1) GROUP BY 1"
    assertEquals(assertSame(query).rows.size, 3)
    assert(inOurs(sql(query)).rows.forall(!_.contains("NULL")))
  }
}
