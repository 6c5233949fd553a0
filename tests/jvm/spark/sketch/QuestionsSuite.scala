package chronosketch.spark.sketch

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** Tests the functions that query stored sketches. */
class QuestionsSuite extends SparkSuite {
  private val hundred = "(SELECT quantile_sketch_agg(id) AS s FROM range(1, 101))"
  // 0.25, 0.5, … 25: three of four answers are not whole numbers
  private val quarters = "(SELECT quantile_sketch_agg(id / 4D) AS s FROM range(1, 101))"
  private val none = "(SELECT quantile_sketch_agg(id) AS s FROM range(0))"
  private val dates =
    "(SELECT quantile_sketch_agg(date_add(DATE'2013-01-01', CAST(id AS INT))) AS s FROM range(0, 10))"

  private def ask(question: String, from: String = hundred): Any = one(s"SELECT $question FROM $from")

  private val questions = Seq(
    "sketch_quantile(s, 0.5)",
    "sketch_quantile(s, array(0.5, 0.9))",
    "sketch_quantile_bounds(s, 0.5)",
    "sketch_quantile_bounds(s, array(0.5))",
    "sketch_rank(s, 1)",
    "sketch_rank_bounds(s, 1)",
    "sketch_cdf(s, array(1, 2))",
    "sketch_cdf_bounds(s, array(1, 2))",
    "sketch_cdf_bounds(s, 1)",
    "sketch_pmf(s, array(1, 2))",
    "sketch_min(s)",
    "sketch_max(s)",
    "sketch_rank_error(s)"
  )

  questions.foreach { q =>
    test(s"$q of an empty or a NULL sketch is NULL") {
      assertEquals(ask(q, none), null)
      assertEquals(ask(q, "(SELECT CAST(NULL AS BINARY) AS s)"), null)
      assertEquals(ask(q, "(SELECT NULL AS s)"), null)
      assert(ask(q) != null)
    }
  }

  test("consecutive queries of one sketch open it once, even if the garbage collector runs in between") {
    val bytes = one("SELECT window_sketch_agg(id, id) FROM range(100)").asInstanceOf[Array[Byte]]
    val readers = Seq.fill(3)(new SketchReader)
    val summary = readers.head.open(bytes)
    System.gc()
    readers.tail.foreach(reader => assert(reader.open(bytes.clone) eq summary))
    val other = one("SELECT window_sketch_agg(id, id) FROM range(99)").asInstanceOf[Array[Byte]]
    assertEquals(readers.map(_.open(other).count), Seq(99L, 99L, 99L))
  }

  test("count and description of an empty and of a NULL sketch") {
    assertEquals(ask("sketch_count(s)", none), 0L)
    assertEquals(
      rows(s"SELECT d.* FROM (SELECT sketch_describe(s) AS d FROM $none)"),
      Seq(Row(
        "quantile sketch",
        1,
        "BIGINT",
        Map("epsilon" -> 0.001),
        0L,
        ask("length(s)", none),
        null,
        true,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        1.0,
        null
      ))
    )
    assertEquals(ask("is_sketch(s)", none), true)
    assertEquals(
      rows(
        "SELECT sketch_count(NULL), sketch_describe(NULL), is_sketch(NULL), sketch_merge(NULL, X''), sketch_merge(X'', NULL)"
      ),
      Seq(Row(null, null, null, null, null))
    )
  }

  test("a description says whether a sketch is exact") {
    val d = rows(
      """SELECT d.* FROM (SELECT sketch_describe(quantile_sketch_agg(CAST(v AS DECIMAL(7, 2)), 0.1)) AS d FROM
        |(SELECT pmod(id * 7919, 10007) AS v FROM range(10000)))""".stripMargin
    ).head
    assertEquals(d.getString(2), "DECIMAL(7,2)")
    assertEquals(d.getMap[String, Double](3).toMap, Map("epsilon" -> 0.1))
    assertEquals(d.getLong(4), 10000L)
    assert(d.getDouble(6) > 0 && d.getDouble(6) <= 0.1, d.toString)
    assertEquals(d.getBoolean(7), false)
    assertEquals(
      rows(s"SELECT d.error, d.exact FROM (SELECT sketch_describe(s) AS d FROM $hundred)").head.toSeq,
      Seq[Any](0.0, true)
    )
  }

  test("the rank of a number of any type") {
    Seq("42", "42Y", "42S", "42L", "42.5BD", "42.5D", "CAST(42.5 AS FLOAT)", "42.999999999999999BD").foreach {
      v =>
        assertEquals(ask(s"sketch_rank(s, $v)"), 42L, v)
        assertEquals(ask(s"sketch_rank_bounds(s, $v)"), Row(42L, 42L), v)
        assertEquals(ask(s"sketch_cdf(s, array($v))"), Seq(0.42): Any, v)
        assertEquals(ask(s"sketch_pmf(s, array($v))"), Seq(0.42, 0.58): Any, v)
        assertEquals(ask(s"sketch_cdf(s, $v)"), 0.42: Any, v)
        assertEquals(ask(s"sketch_cdf_bounds(s, $v)"), Row(0.42, 0.42, 0.42), v)
        assertEquals(ask(s"sketch_pmf(s, $v)"), Seq(0.42, 0.58): Any, v)
    }
    Seq(
      "0.99BD" -> 0L,
      "-1" -> 0L,
      "double('-Infinity')" -> 0L,
      "1e300" -> 100L,
      "double('NaN')" -> 100L,
      "100" -> 100L,
      "0.0D" -> 0L
    )
      .foreach { case (v, rank) => assertEquals(ask(s"sketch_rank(s, $v)"), rank, v) }
    // 2⁵³ + 1 is not a double: its rank must not be that of 2⁵³
    val big = "(SELECT quantile_sketch_agg(v) AS s FROM VALUES (9007199254740993) AS t(v))"
    assertEquals(ask("sketch_rank(s, 9007199254740992D)", big), 0L)
    assertEquals(ask("sketch_rank(s, 9007199254740994D)", big), 1L)
    // the double 0.1 is above the decimal 0.1, so it is not counted as at or below the decimal
    val tenth = "(SELECT quantile_sketch_agg(0.1D) AS s)"
    assertEquals(ask("sketch_rank(s, 0.1BD)", tenth), 0L)
    assertEquals(ask("sketch_rank(s, 0.1D)", tenth), 1L)
    assertEquals(ask("sketch_rank(s, CAST(0.1 AS FLOAT))", tenth), 1L) // the float is above the double
    assertEquals(
      rows(s"SELECT v, sketch_rank(s, v) FROM $hundred CROSS JOIN VALUES (0.5), (NULL), (7.0) AS t(v)"),
      Seq(Row(new java.math.BigDecimal("0.5"), 0L), Row(null, null), Row(new java.math.BigDecimal("7.0"), 7L))
    )
  }

  test("shares: points in a column, NULL points, one point, no points") {
    assertEquals(
      rows(
        s"SELECT i, sketch_cdf(s, p), sketch_pmf(s, p) FROM $hundred CROSS JOIN VALUES (1, array(10, 20)), (2, NULL), (3, array(50, 100)) AS t(i, p) ORDER BY i"
      ),
      Seq(
        Row(1, Seq(0.1, 0.2), Seq(0.1, 0.1, 0.8)),
        Row(2, null, null),
        Row(3, Seq(0.5, 1.0), Seq(0.5, 0.5, 0.0))
      )
    )
    assertEquals(
      rows(
        s"SELECT sketch_cdf(s, NULL), sketch_cdf(s, array()), sketch_pmf(s, array()), sketch_cdf_bounds(s, NULL), sketch_cdf_bounds(s, array()) FROM $hundred"
      ),
      Seq(Row(null, Nil, Seq(1.0), null, Nil))
    )
    assertEquals(
      ask("sketch_pmf(s, array(DATE'2013-01-01', DATE'2013-01-05'))", dates),
      Seq(0.1, 0.4, 0.5): Any
    )
    // in doubles, 0.9 − 0.6 is not 0.3: shares are computed from counts
    assertEquals(ask("sketch_pmf(s, array(60, 90))"), Seq(0.6, 0.3, 0.1): Any)
  }

  test("answers in another number type are rounded to the nearest, and bounds are rounded outward") {
    assertEquals(ask("sketch_quantile(s, 0.5)", quarters), 12.5)
    assertEquals(ask("sketch_quantile(s, 0.51, 'int')", quarters), 13)
    assertEquals(ask("sketch_quantile_bounds(s, 0.51, 'int')", quarters), Row(12, 13)) // 12.75
    assertEquals(ask("sketch_quantile_bounds(s, 0.52, 'int')", quarters), Row(13, 13)) // 13
    assertEquals(
      ask("sketch_quantile_bounds(s, 0.51, 'decimal(5,1)')", quarters),
      Row(new java.math.BigDecimal("12.7"), new java.math.BigDecimal("12.8"))
    )
    assertEquals(
      ask("sketch_quantile_bounds(s, 0.51, 'decimal(5,2)')", quarters),
      Row(new java.math.BigDecimal("12.75"), new java.math.BigDecimal("12.75"))
    )
    val negative = "(SELECT quantile_sketch_agg(-12.75D) AS s)"
    assertEquals(ask("sketch_quantile_bounds(s, 0.5, 'bigint')", negative), Row(-13L, -12L))
    val tenth = "(SELECT quantile_sketch_agg(0.1D) AS s)"
    val bounds = ask("sketch_quantile_bounds(s, 0.5, 'float')", tenth).asInstanceOf[Row]
    assert(bounds.getFloat(0) < 0.1 && 0.1 < bounds.getFloat(1), bounds.toString)
    assertEquals(bounds.getFloat(1), Math.nextUp(bounds.getFloat(0)))
    val big = "(SELECT quantile_sketch_agg(9007199254740993) AS s)"
    assertEquals(ask("sketch_quantile_bounds(s, 0.5)", big), Row(9007199254740992.0, 9007199254740994.0))
    assertEquals(ask("sketch_min(s, 'int')", quarters), 0) // 0.25
    assertEquals(ask("sketch_max(s, ' DECIMAL( 4 , 1 ) ')", quarters), new java.math.BigDecimal("25.0"))
    assertEquals(ask("sketch_max(s, 'tinyint')", quarters), 25.toByte)
    assertEquals(ask("sketch_max(s, 'SMALLINT')", quarters), 25.toShort)
    assertEquals(ask("sketch_max(s, 'int' COLLATE UTF8_LCASE)", quarters), 25)
  }

  test("dates and times can be queried as their own or a wider type") {
    assertEquals(ask("sketch_quantile(s, 0.5, 'date')", dates), java.sql.Date.valueOf("2013-01-05"))
    val interval = "(SELECT quantile_sketch_agg(INTERVAL '3' HOUR) AS s)"
    assertEquals(ask("sketch_quantile(s, 0.5, 'interval hour')", interval), java.time.Duration.ofHours(3))
    assertEquals(
      ask("sketch_quantile(s, 0.5, 'interval day to second')", interval),
      java.time.Duration.ofHours(3)
    )
  }

  test("merging in any order keeps the larger epsilon, and the description shows it") {
    val coarse = "(SELECT quantile_sketch_agg(id, 0.1) FROM range(100, 1000))"
    val fine = "(SELECT quantile_sketch_agg(id, 0.01) FROM range(100))"
    Seq(s"sketch_merge($coarse, $fine)", s"sketch_merge($fine, $coarse)").foreach { union =>
      assertEquals(
        rows(
          s"SELECT d.parameters['epsilon'], d.count, d.error <= 0.1 FROM (SELECT sketch_describe($union) AS d)"
        ),
        Seq(Row(0.1, 1000L, true))
      )
    }
    // merging does not change the merged sketches
    assertEquals(
      rows(
        s"SELECT sketch_count(sketch_merge(s, r)), sketch_count(s), sketch_count(r) FROM (SELECT $coarse AS s, $fine AS r)"
      ),
      Seq(Row(1000L, 900L, 100L))
    )
  }

  test("sketch_merge_or merges two sketches, and returns the one that is not NULL") {
    val sides = "VALUES (1, X'00', X'00'), (2, NULL, X'00'), (3, X'00', NULL), (4, NULL, NULL) AS t(i, a, b)"
    assertEquals(
      rows(
        s"""SELECT i, sketch_merge_or(l, r) = sketch_merge(s, s), sketch_merge_or(l, r) = s FROM
           |(SELECT i, s, IF(a IS NULL, NULL, s) AS l, IF(b IS NULL, NULL, s) AS r FROM $sides CROSS JOIN $hundred)
           |ORDER BY i""".stripMargin
      ),
      Seq(Row(1, true, false), Row(2, false, true), Row(3, false, true), Row(4, null, null))
    )
    assertEquals(
      rows(
        s"SELECT sketch_count(sketch_merge_or(s, NULL)), sketch_count(sketch_merge_or(NULL, s)), sketch_merge_or(NULL, NULL) FROM $hundred"
      ),
      Seq(Row(100L, 100L, null))
    )
    // other bytes than those of sketches are refused, also beside NULL
    Seq("sketch_merge_or(X'00', NULL)", "sketch_merge_or(NULL, X'00')", "sketch_merge_or(s, X'00')").foreach {
      q =>
        assert(refusal(s"SELECT $q FROM $hundred").getCondition.startsWith("CHRONOSKETCH_"), q)
    }
    intercept[org.apache.spark.sql.AnalysisException](spark.sql(
      s"SELECT sketch_merge_or(s, 1) FROM $hundred"
    ))
    intercept[org.apache.spark.sql.AnalysisException](spark.sql(s"SELECT sketch_merge_or(s) FROM $hundred"))
  }

  test("an outer join keeps the sketches of both sides") {
    val days = "(SELECT id % 3 AS k, quantile_sketch_agg(id) AS s FROM range(30) GROUP BY 1)"
    val late = "(SELECT id % 3 + 1 AS k, quantile_sketch_agg(id) AS s FROM range(6) GROUP BY 1)"
    assertEquals(
      rows(
        s"SELECT k, sketch_count(sketch_merge_or(a.s, b.s)) FROM $days a FULL OUTER JOIN $late b USING (k) ORDER BY k"
      ),
      Seq(Row(0L, 10L), Row(1L, 12L), Row(2L, 12L), Row(3L, 2L))
    )
  }

  test(
    "an invalid phi or point that the optimizer folds to a constant is refused at run time, as in a column"
  ) {
    val from = "(SELECT quantile_sketch_agg(id) AS s, 2 AS two FROM range(10))"
    Seq(
      "sketch_quantile(s, two * 1)" -> "CHRONOSKETCH_INVALID_PHI",
      "sketch_quantile_bounds(s, array(0.5, two))" -> "CHRONOSKETCH_INVALID_PHI",
      "sketch_quantile(s, IF(two = 2, 'a', 'b'))" -> "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "sketch_cdf(s, array(two, 1))" -> "CHRONOSKETCH_INVALID_POINTS",
      "sketch_cdf_bounds(s, array(two, 1))" -> "CHRONOSKETCH_INVALID_POINTS"
    ).foreach { case (call, condition) =>
      assertEquals(refusal(s"SELECT $call FROM $from").getCondition, condition, call)
    }
    // no row evaluates it
    assertEquals(rows(s"SELECT sketch_quantile(s, two) FROM $from WHERE sketch_count(s) > 10"), Nil)
    assertEquals(one(s"SELECT sketch_quantile(s, two / 2) FROM $from"), 9L)
  }

  test("answers of every result type in generated code, with nullable and constant arguments, in one stage") {
    val all = (questions ++ Seq(
      "sketch_count(s)",
      "sketch_describe(s)",
      "is_sketch(s)",
      "sketch_merge(s, s)",
      "sketch_merge_or(s, NULL)",
      "chronosketch_version()"
    ))
    val text =
      s"SELECT ${all.mkString(", ")}, id FROM (SELECT id, IF(id = 1, NULL, s) AS s FROM range(3) CROSS JOIN $hundred) ORDER BY id"
    val generated = rows(text)
    val interpreted = withConf(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    )(rows(text))
    def comparable(r: Row): Seq[Any] = r.toSeq.map { case b: Array[Byte] => b.toSeq; case v => v }
    assertEquals(generated.map(comparable), interpreted.map(comparable))
    assert(generated(1).toSeq.dropRight(2).forall(_ == null), generated(1).toString)
    assert(!generated(0).toSeq.contains(null), generated(0).toString)
  }

  test("generated code is split into many methods") {
    val many = (1 to 120).map(i => s"sketch_quantile(s, ${i / 200.0}) AS c$i").mkString(", ")
    val row = rows(s"SELECT $many FROM (SELECT s FROM $hundred CROSS JOIN range(2)) LIMIT 1").head
    assertEquals((1 to 120).map(i => row.getDouble(i - 1)), (1 to 120).map(i => math.ceil(i / 2.0)))
  }
}
