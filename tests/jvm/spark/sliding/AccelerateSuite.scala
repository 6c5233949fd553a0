package chronosketch.spark.sliding

import org.apache.spark.sql.Row

import chronosketch.Cases

/** Compares Spark's own functions OVER sliding frames in our operator and in Spark's: types, NULLs, errors and answers. */
class AccelerateSuite extends SlidingSuite {

  // ties, NULLs, gaps, NaN, infinities, zeros of both signs, the least and the greatest integers
  private def view(): Unit = spark.range(0, 260, 1, 3).selectExpr(
    "id",
    "pmod(hash(id, 1), 4) AS k",
    "IF(pmod(hash(id, 6), 10) = 0, NULL, pmod(hash(id, 7), 30)) AS t",
    "IF(pmod(hash(id, 2), 9) = 0, NULL, CAST(pmod(hash(id, 3), 50) - 25 AS TINYINT)) AS b",
    "IF(pmod(hash(id, 2), 9) = 1, NULL, CAST(pmod(hash(id, 3), 500) - 250 AS SMALLINT)) AS s",
    "IF(pmod(hash(id, 2), 9) = 2, NULL, hash(id, 4)) AS i",
    "CASE pmod(hash(id, 5), 9) WHEN 0 THEN NULL ELSE xxhash64(id, 4) DIV 300 END AS l",
    "IF(pmod(hash(id, 2), 9) = 3, NULL, CAST(pmod(hash(id, 8), 9) - 4 AS FLOAT) / 3) AS f",
    "IF(pmod(hash(id, 2), 9) = 4, NULL, pmod(hash(id, 8), 1000) / 7 - 40) AS x",
    "IF(pmod(hash(id, 2), 9) = 5, NULL, pmod(hash(id, 9), 1000) / 3) AS y",
    """CASE pmod(hash(id, 4), 13) WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D
      |WHEN 4 THEN double('Infinity') WHEN 5 THEN double('-Infinity') ELSE pmod(hash(id, 5), 60) / 4 - 7 END AS d""".stripMargin,
    "CASE pmod(hash(id, 4), 4) WHEN 0 THEN NULL WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D ELSE -1D * pmod(id, 3) END AS z",
    "CAST(CASE pmod(hash(id, 4), 4) WHEN 0 THEN NULL WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D ELSE 1D * pmod(id, 3) END AS FLOAT) AS zf",
    "CAST(pmod(hash(id, 3), 5000) / 7 AS DECIMAL(7,2)) AS c7",
    "IF(pmod(hash(id, 2), 9) = 6, NULL, CAST(hash(id, 3) * 7L AS DECIMAL(17,4))) AS c17",
    "date_add(DATE'2024-01-01', pmod(hash(id, 3), 50)) AS day",
    "IF(pmod(hash(id, 2), 9) = 7, NULL, timestamp_seconds(hash(id, 3))) AS ts",
    "CAST(timestamp_seconds(hash(id, 3)) AS TIMESTAMP_NTZ) AS ntz",
    "make_ym_interval(0, pmod(hash(id, 3), 50)) AS ym",
    "make_dt_interval(pmod(hash(id, 3), 50)) AS dt",
    "pmod(hash(id, 2), 3) = 0 AS p"
  ).createOrReplaceTempView("swift")

  private val frames = Seq(
    "ORDER BY id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW",
    "ORDER BY id ROWS BETWEEN 2 PRECEDING AND 40 FOLLOWING",
    "ORDER BY id ROWS BETWEEN 3 FOLLOWING AND 4 FOLLOWING",
    "ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ORDER BY t, id ROWS BETWEEN 9 PRECEDING AND 2 PRECEDING"
  )

  // for functions that do not depend on the order of peers
  private val ranges = Seq(
    "ORDER BY t RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING",
    "ORDER BY t DESC RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING",
    "ORDER BY t RANGE BETWEEN 7 FOLLOWING AND 8 FOLLOWING"
  )

  /** Compares calls over frames with Spark's operator, all in one SELECT. Calls of different columns share no structure, so each slides
    * as it would alone. Each call has some of the frames, at fewest every eighth, and its neighbours have the others.
    *
    * @param tolerance the allowed relative error of a double, or the absolute error if the double is less than 1
    */
  private def compare(
      calls: Seq[String],
      frames: Seq[String],
      tolerance: Double = 0.0,
      conf: Seq[(String, String)] = Nil
  ): Unit =
    withConf(conf: _*) {
      // no more than there are calls, or some frames would have none
      val apart = Seq(if (Cases.times > 1) 2 else 8, frames.size, calls.size).min
      val asked = for {
        (call, i) <- calls.zipWithIndex
        (frame, j) <- frames.zipWithIndex
        if (i + j) % apart == 0
      } yield call -> frame
      val columns = asked.zipWithIndex.map { case ((call, frame), i) =>
        s"$call OVER (PARTITION BY k $frame) AS q$i"
      }
      val query = s"SELECT id, ${columns.mkString(", ")} FROM swift"
      val sparks = inSparks(sql(query))
      val ours = withConf(SlidingConf.Accelerate -> "all")(inOurs(sql(query)))
      assertEquals(ours.operators.map(_.windowExpressions.size).sum, asked.size, "some did not slide")
      assertEquals(ours.schema, sparks.schema)
      val (a, b) = (ours.rows.sortBy(_.getLong(0)), sparks.rows.sortBy(_.getLong(0)))
      assertEquals(a.map(_.getLong(0)), b.map(_.getLong(0)))
      for ((x, y) <- a.zip(b); (column, i) <- columns.zipWithIndex)
        if (!isSame(x.get(i + 1), y.get(i + 1), tolerance))
          fail(s"$column, row ${x.get(0)}: ${x.get(i + 1)} where Spark has ${y.get(i + 1)}")
      for ((call, places) <- asked.zipWithIndex.groupMap(_._1._1)(_._2 + 1))
        assert(b.exists(row => places.exists(!row.isNullAt(_))), s"$call answers nothing")
    }

  private def isSame(a: Any, b: Any, tolerance: Double): Boolean = (a, b) match {
    case (x: Double, y: Double) =>
      java.lang.Double.compare(x, y) == 0 || math.abs(x - y) <= tolerance * math.max(1.0, math.abs(y))
    case (x: Float, y: Float) => java.lang.Float.compare(x, y) == 0
    case (x: collection.Seq[_], y: collection.Seq[_]) => x.size == y.size && x.zip(y).forall { case (u, v) =>
        isSame(u, v, tolerance)
      }
    case (x: Row, y: Row) => x.toSeq.zip(y.toSeq).forall { case (u, v) => isSame(u, v, tolerance) }
    case _ => a == b
  }

  private val ordered =
    Seq("b", "s", "i", "l", "f", "d", "z", "zf", "c7", "c17", "day", "ts", "ntz", "ym", "dt")

  for (function <- Seq("min", "max", "count"))
    test(function) {
      view()
      // if zeros of both signs are extreme, Spark returns the first one
      val (zeros, others) = ordered.partition(column => column.startsWith("z") || column == "d")
      compare(others.map(c => s"$function($c)"), frames ++ ranges)
      compare(zeros.map(c => s"$function($c)"), frames)
      compare(ordered.map(c => s"$function($c) FILTER (WHERE p)"), frames.take(2))
    }

  test("count of rows, of several columns and of strings, and count_if") {
    view()
    compare(Seq("count(*)"), frames ++ ranges)
    compare(
      Seq(
        "count(1)",
        "count(x, y, l)",
        "count(concat('a', x))",
        "count(id)",
        "count_if(p)",
        "regr_count(x, y)",
        "count(*) FILTER (WHERE p)"
      ),
      frames ++ ranges
    )
  }

  // for n ≤ 260 rows of magnitude M, Spark's sum is within n·u·n·M of the exact one, and ours is closer
  private val sumTolerance = 1e-10

  private val notAnsi = Seq("spark.sql.ansi.enabled" -> "false")

  test("sum of whole numbers and of decimals") {
    view()
    val columns = Seq("b", "s", "i", "l", "c7", "c17")
    compare(columns.map(c => s"sum($c)"), frames ++ ranges)
    compare(columns.map(c => s"sum($c) FILTER (WHERE p)"), frames.take(2), conf = notAnsi)
    compare(columns.map(c => s"try_sum($c)"), frames.take(3))
  }

  for (function <- Seq("sum", "avg", "try_sum", "try_avg"))
    test(s"$function of doubles and floats") {
      view()
      val columns = Seq("f", "x", "d", "z", "zf")
      compare(columns.map(c => s"$function($c)"), frames ++ ranges, sumTolerance)
      compare(columns.map(c => s"$function($c) FILTER (WHERE p)"), frames.take(2), sumTolerance)
    }

  test("avg of whole numbers") {
    view()
    compare(Seq("b", "s", "i").map(c => s"avg($c)"), frames ++ ranges)
    compare(Seq("avg(l)"), frames ++ ranges, sumTolerance)
    compare(Seq("regr_avgx(b, s)"), frames)
  }

  test("avg of decimals") {
    view()
    val columns = Seq(
      "c7",
      "c17",
      "CAST(c17 AS DECIMAL(18,0))",
      "CAST(b / 100 AS DECIMAL(11,11))",
      "CAST(b / 7 AS DECIMAL(12,9))",
      "CAST(b / 7 AS DECIMAL(14,3))"
    )
    compare(columns.map(c => s"avg($c)"), frames ++ ranges)
    compare(columns.map(c => s"avg($c) FILTER (WHERE p)"), frames.take(2), conf = notAnsi)
    compare(columns.map(c => s"try_avg($c)"), frames.take(3))
  }

  test("avg of the greatest decimals") {
    val types = for (digits <- Seq(11, 12, 17, 18); scale <- Seq(0, 3, digits)) yield (digits, scale)
    val (nines, averages) = types.zipWithIndex.map { case ((digits, scale), i) =>
      val nines = s"CAST('${"9" * (digits - scale)}.${"9" * scale}' AS DECIMAL($digits,$scale)) AS v$i"
      nines -> s"avg(IF(id % 3 = 0, -v$i, v$i)) OVER w AS a$i, avg(v$i) OVER w AS b$i"
    }.unzip
    val query =
      s"SELECT id, ${averages.mkString(", ")} FROM (SELECT id, ${nines.mkString(", ")} FROM range(100)) WINDOW w AS (PARTITION BY id % 2 ORDER BY id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)"
    val answers = withConf(SlidingConf.Accelerate -> "all")(assertSame(query))
    assertEquals(answers.operators.map(_.windowExpressions.size).sum, 2 * types.size)
  }

  // the relative error is at most 32·n²·u
  private val momentTolerance = 1e-8

  private val legacy = Seq("spark.sql.legacy.statisticalAggregate" -> "true")

  private val oneColumnFunctions =
    Seq("var_pop", "var_samp", "stddev_pop", "stddev_samp", "skewness", "kurtosis", "variance", "std")

  // each function has its own SELECT, because these functions would share a structure
  for (function <- oneColumnFunctions)
    test(function) {
      view()
      val calls = Seq("x", "i", "f", "d", "c7").map(c => s"$function($c)") :+ s"$function(x) FILTER (WHERE p)"
      compare(calls, frames, momentTolerance)
    }

  test("moments in RANGE frames, and with legacy and non-ANSI settings") {
    view()
    compare(oneColumnFunctions.map(f => s"$f(x)"), ranges, momentTolerance)
    compare(oneColumnFunctions.map(f => s"$f(x)"), frames, momentTolerance, legacy)
    compare(oneColumnFunctions.map(f => s"$f(b)"), frames, momentTolerance, notAnsi)
  }

  private val twoColumnFunctions = Seq(
    "corr",
    "covar_pop",
    "covar_samp",
    "regr_slope",
    "regr_intercept",
    "regr_r2",
    "regr_sxy",
    "regr_sxx",
    "regr_syy"
  )

  for (function <- twoColumnFunctions)
    test(function) {
      view()
      compare(Seq(s"$function(x, y)", s"$function(y, x) FILTER (WHERE p)"), frames, momentTolerance)
    }

  test("moments of two columns in RANGE frames, and with legacy and non-ANSI settings") {
    view()
    compare(twoColumnFunctions.map(f => s"$f(x, y)"), ranges, momentTolerance)
    compare(twoColumnFunctions.map(f => s"$f(x, y)"), frames, momentTolerance, legacy)
    compare(twoColumnFunctions.map(f => s"$f(x, i)"), frames, momentTolerance, notAnsi)
  }

  test("r² and slopes if one column is constant") {
    view()
    val arguments = Seq(
      "x, IF(pmod(id, 80) < 60, 2, b)",
      "IF(pmod(id, 80) < 60, 2, b), x",
      "b, IF(p, 1, 2)",
      "IF(p, 1, 2), b"
    )
    for (function <- Seq("regr_r2", "regr_intercept", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy"))
      compare(arguments.map(a => s"$function($a)"), frames, momentTolerance)
  }

  for (function <- Seq("min_by", "max_by"))
    test(function) {
      view()
      compare(ordered.map(c => s"$function($c, b)"), frames)
      compare(ordered.map(c => s"$function($c, d) FILTER (WHERE p)"), frames)
      compare(ordered.map(c => s"$function(x, $c)"), frames)
    }

  for (function <- Seq("bit_and", "bit_or", "bit_xor"))
    test(function) {
      view()
      val columns = Seq("b", "s", "i", "l")
      compare(columns.map(c => s"$function($c)"), frames ++ ranges)
      compare(columns.map(c => s"$function($c) FILTER (WHERE p)"), frames)
    }

  private val growing = "ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING"

  test("mode: ties with a defined winner, and a unique mode") {
    view()
    val columns = Seq("b", "i", "l", "c7", "c17", "day", "ts", "ym")
    Seq[String => String](
      c => s"mode($c, true)",
      c => s"mode() WITHIN GROUP (ORDER BY $c)",
      c => s"mode() WITHIN GROUP (ORDER BY $c DESC)"
    ).foreach(call => compare(columns.map(call), growing +: (frames ++ ranges)))
    compare(Seq("mode(IF(p, k, NULL))", "mode(b, true) FILTER (WHERE p)"), frames)
  }

  test("approx_count_distinct equals the size of the set of the frame's values") {
    view()
    val columns = Seq("b", "s", "i", "l", "c7", "c17", "day", "ts", "ntz", "ym", "dt", "IF(p, k, NULL)")
    val asked = (growing +: (frames ++ ranges)).flatMap { frame =>
      val over = s"OVER (PARTITION BY k $frame)"
      columns.map { c =>
        (
          s"approx_count_distinct($c) FILTER (WHERE t < 20) $over",
          s"size(collect_set($c) FILTER (WHERE t < 20) $over)"
        )
      }
    } ++ Seq("f", "d", "z", "zf").map { c =>
      val over = s"OVER (PARTITION BY k ${frames.head})"
      // zeros of both signs count as one value, and so do all NaNs
      (s"approx_count_distinct($c, 0.3) $over", s"size(collect_set($c + 0) $over)")
    }
    def of(columns: Seq[String]): String =
      s"SELECT id, ${columns.zipWithIndex.map { case (c, i) => s"$c AS q$i" }.mkString(", ")} FROM swift"
    val ours = withConf(SlidingConf.Accelerate -> "approx_count_distinct")(inOurs(sql(of(asked.map(_._1)))))
    val sets = inSparks(sql(of(asked.map(_._2.replaceFirst("^size", "").trim)))).rows
    assertEquals(ours.operators.map(_.windowExpressions.size).sum, asked.size)
    val expected =
      sets.map(r => r.getLong(0) -> asked.indices.map(i => r.getSeq[Any](i + 1).size.toLong)).toMap
    ours.rows.foreach { r =>
      asked.indices.foreach(i =>
        assertEquals(r.getLong(i + 1), expected(r.getLong(0))(i), s"${asked(i)._1}, row ${r.getLong(0)}")
      )
    }
  }

  test("percentile") {
    view()
    val columns = Seq("b", "s", "i", "l", "f", "x", "c7", "c17")
    compare(columns.map(c => s"percentile($c, 0.3)"), growing +: (frames ++ ranges))
    compare(columns.map(c => s"percentile($c, array(0.0, 0.25, 0.9, 1.0)) FILTER (WHERE p)"), frames)
  }

  test("percentile of NaN and infinities") {
    view()
    compare(Seq("percentile(nullif(d, 0), array(0.1, 0.5, 0.99))"), frames ++ ranges)
  }

  test("percentile_approx") {
    view()
    val columns = Seq("b", "s", "i", "f", "x", "c7", "day", "ts", "ntz", "ym", "dt")
    // for so few rows Spark's answer is exact, too
    compare(columns.map(c => s"percentile_approx($c, 0.5)"), growing +: (frames ++ ranges))
    compare(columns.map(c => s"approx_percentile($c, array(0.25, 1.0, 0.5), 1000) FILTER (WHERE p)"), frames)
  }

  test("functions that the setting does not list, or that are declined, run in Spark's operator") {
    view()
    def operators(call: String, listed: String): SlidingAnswers =
      withConf(SlidingConf.Accelerate -> listed)(ask(isEnabled =
        true
      )(sql(s"SELECT id, $call AS q FROM swift")))
    val last = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 4 PRECEDING AND CURRENT ROW)"
    assertEquals(operators(s"min(x) $last", "max, count").operators.size, 0)
    assertEquals(operators(s"min(x) $last", " Max , MIN").operators.size, 1)
    assertEquals(operators(s"stddev(x) $last", "std").operators.size, 1)
    withConf(SlidingConf.Enabled -> "false", SlidingConf.Accelerate -> "all") {
      val plan = sql(s"SELECT min(x) $last FROM swift").queryExecution.executedPlan
      assert(!plan.toString.contains("SketchWindow"), plan)
    }
    val mixed =
      s"approx_quantile(x, 0.5) $last AS a, avg(CAST(c7 AS DECIMAL(30,2))) $last AS b, max(concat('a', x)) $last AS c, min(x) $last AS d, first(x) $last"
    val ours = operators(mixed, "all")
    assertEquals(ours.operators.size, 1)
    val (text, plan) = (ours.operators.head.verboseStringWithOperatorId(), ours.plan.toString)
    assert(
      ours.plan.toString.contains(
        "Fallback [avg: its values are DECIMAL(30,2), max: its values are STRING]"
      ),
      text
    )
    assert(text.contains("Structure: block sort, extremes"), text)
    assertEqual(ours, inSparks(sql(s"SELECT id, $mixed AS q FROM swift")), mixed)
    val refused = intercept[Exception](sql(s"SET ${SlidingConf.Accelerate}=min, mimimum"))
    assert(refused.getMessage.contains(SlidingConf.Accelerate), refused.getMessage)
  }

  test("all functions in one query, some with shared structures") {
    view()
    val calls = Seq(
      "sum(x)",
      "avg(x)",
      "var_pop(x)",
      "kurtosis(x)",
      "min(x)",
      "max(x)",
      "count(x)",
      "percentile(x, 0.5)",
      "percentile_approx(x, 0.5)",
      "percentile_approx(x, 0.9)",
      "sum(i)",
      "avg(i)",
      "bit_and(i)",
      "bit_or(i)",
      "bit_xor(i)",
      "min_by(i, x)",
      "max_by(i, x)",
      "corr(x, y)",
      "covar_pop(x, y)",
      "sum(c7)",
      "sum(c17)",
      "mode(b, true)"
    )
    val window = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 7 PRECEDING AND 3 FOLLOWING)"
    val query =
      s"SELECT id, ${calls.zipWithIndex.map { case (c, i) => s"$c $window AS q$i" }.mkString(", ")} FROM swift"
    val sparks = inSparks(sql(query)).rows.sortBy(_.getLong(0))
    val ours = withConf(SlidingConf.Accelerate -> "all")(inOurs(sql(query)))
    assertEquals(ours.operators.size, 1)
    assertEquals(ours.operators.head.spec.sliders.size, 13)
    ours.rows.sortBy(_.getLong(0)).zip(sparks).foreach { case (a, b) =>
      assert(isSame(a, b, momentTolerance), s"$a $b")
    }
  }
}
