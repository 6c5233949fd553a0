package chronosketch.spark.sketch

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** Tests the functions that compare two sketches, or a sketch with its population. */
class ComparisonQuestionsSuite extends SparkSuite {
  private val sketches =
    "(SELECT quantile_sketch_agg(id) AS a, quantile_sketch_agg(id + 20) AS b FROM range(1, 101))"

  private val questions = Seq(
    "sketch_ks(a, b)",
    "sketch_ks_p_value(a, b)",
    "sketch_psi(a, b)",
    "sketch_wasserstein(a, b)",
    "sketch_quantile_difference(a, b, 0.5)",
    "sketch_quantile_difference(a, b, array(0.5, 0.9))"
  )

  private def ask(question: String, from: String = sketches): Any = one(s"SELECT $question FROM $from")

  private def refusal(question: String, from: String): String =
    intercept[Exception](ask(question, from)).getMessage

  questions.foreach { q =>
    test(s"$q is NULL if one of the sketches is empty or NULL") {
      val full = "(SELECT quantile_sketch_agg(id) AS %s FROM range(1, 101))"
      val empty = "(SELECT quantile_sketch_agg(id) AS %s FROM range(0))"
      val absent = "(SELECT CAST(NULL AS BINARY) AS %s)"
      for ((left, right) <- Seq(empty -> full, full -> empty, absent -> full, full -> absent))
        assertEquals(ask(q, s"${left.format("a")}, ${right.format("b")}"), null)
      assert(ask(q) != null)
    }
  }

  test("an interval of an empty or a NULL sketch is NULL, and so is one for a NULL phi or design effect") {
    val q = "sketch_quantile_interval(a, 0.5)"
    assertEquals(ask(q, "(SELECT quantile_sketch_agg(id) AS a FROM range(0))"), null)
    assertEquals(ask(q, "(SELECT CAST(NULL AS BINARY) AS a)"), null)
    assertEquals(ask("sketch_quantile_interval(a, NULL)"), null)
    assertEquals(ask("sketch_quantile_interval(a, 0.5, design_effect => NULL)"), null)
  }

  test("answers of exact sketches") {
    assertEquals(ask("sketch_ks(a, b, 'int')"), Row(0.2, 0.2, 0.2, 20))
    assertEquals(ask("sketch_ks(a, a)"), Row(0.0, 0.0, 0.0, null))
    assertEquals(ask("sketch_ks_p_value(a, a)"), Row(1.0, 1.0, 1.0))
    assertEquals(ask("sketch_wasserstein(a, a)"), Row(0.0, 0.0, 0.0))
    assertEquals(ask("sketch_quantile_interval(a, 0.5, type => 'bigint')"), Row(50L, 40L, 61L))
    assertEquals(
      ask("sketch_quantile_interval(a, array(0.5, 1), confidence => 0.99, type => 'int').high"),
      Seq[Any](64, null)
    )
    assertEquals(ask("sketch_quantile_difference(a, a, 0.5).p_value"), 1.0)
  }

  test("a design effect and a phi of each row") {
    assertEquals(
      rows(
        s"SELECT sketch_quantile_interval(a, p, design_effect => d).low FROM $sketches, VALUES (0.5, 1), (0.5, 4), (0.9, 1) AS t(p, d) ORDER BY p, d"
      ).map(_.getDouble(0)),
      Seq(40.0, 29.0, 84.0)
    )
  }

  test("every family with ranks can be compared with every other, and the bounds contain the exact answer") {
    val builders = Seq(
      "quantile_sketch_agg(v, 0.05)",
      "ddsketch_agg(v, 0.05)",
      "sample_sketch_agg(v, 500)",
      "sketch_window(window_sketch_agg(v, id, 0.05), 5000)",
      "sketch_at_version(history_sketch_agg(v, id, epsilon => 0.05), 4999)"
    )
    def built(name: String, builders: Seq[String], shift: Int): String = {
      val columns = builders.zipWithIndex.map { case (builder, i) => s"$builder AS s$i" }.mkString(", ")
      val each = builders.indices.map(i => s"${i}L, s$i").mkString(", ")
      s"""(SELECT stack(${builders.size}, $each) AS (${name}_builder, $name) FROM (SELECT $columns FROM
         |(SELECT id, (id * 7919 % 5003) / 10D + $shift AS v FROM range(5000))))""".stripMargin
    }
    def pairs(builders: Seq[String]): String = s"${built("a", builders, 0)}, ${built("b", builders, 90)}"
    val exact = pairs(Seq("quantile_sketch_agg(v, 0)"))
    val Row(ks: Double, _, _, _) = ask("sketch_ks(a, b)", exact): @unchecked
    val Row(distance: Double, _, _) = ask("sketch_wasserstein(a, b)", exact): @unchecked
    val found = rows(
      s"SELECT a_builder, b_builder, sketch_ks(a, b) AS k, sketch_wasserstein(a, b) AS w, sketch_psi(a, b) AS p FROM ${pairs(builders)}"
    )
    assertEquals(found.size, builders.size * builders.size)
    found.foreach { row =>
      val Row(_, _, Row(_, low: Double, high: Double, _), Row(_, least: Double, most: Double), psi) =
        row: @unchecked
      assert(low <= ks && ks <= high, row)
      assert(least <= distance && distance <= most, row)
      assert(psi != null, row)
    }
    // the version does not know exactly how many values there are
    val certain = builders.init
    val differences = rows(s"SELECT sketch_quantile_difference(a, b, 0.5).value FROM ${pairs(certain)}")
    assertEquals(differences.size, certain.size * certain.size)
    differences.foreach(row => assert(row.getDouble(0) < -50, row))
    val version = refusal("sketch_quantile_interval(a, 0.5)", built("a", builders.takeRight(1), 0))
    assert(version.contains("CHRONOSKETCH_COUNT_IN_DOUBT"), version)
    val imported =
      s"(SELECT sketch_from_histogram(array(5D, 50D, 500D), array(2000, 2000, 1000, 0)) AS a), ${built("b", builders.take(1), 0)}"
    questions.foreach(q => assert(ask(q, imported) != null, q))
  }

  test("families without ranks are refused by name") {
    for (
      (builder, condition) <- Seq(
        "moments_agg(id)" -> "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
        "qlove_sketch_agg(id, id, array(0.5), 6)" -> "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
        "history_sketch_agg(id, id)" -> "CHRONOSKETCH_WHICH_VERSION"
      );
      q <- "sketch_quantile_interval(b, 0.5)" +: questions
    ) {
      val from = s"(SELECT quantile_sketch_agg(id) AS a, $builder AS b FROM range(10))"
      val message = refusal(q, from)
      assert(message.contains(condition), message)
    }
  }

  test("values of every type are compared in their common type") {
    val values = Seq(
      "CAST(id AS TINYINT)",
      "CAST(id AS INT)",
      "id",
      "CAST(id AS DECIMAL(10, 2))",
      "CAST(id AS FLOAT)",
      "CAST(id AS DOUBLE)",
      "date_add(DATE'2013-01-01', CAST(id AS INT))",
      "timestamp_seconds(id)",
      "CAST(timestamp_seconds(id) AS TIMESTAMP_NTZ)",
      "make_ym_interval(0, CAST(id AS INT))",
      "make_dt_interval(CAST(id AS INT))"
    )
    val columns = values.zipWithIndex.map { case (v, i) =>
      s"quantile_sketch_agg($v) AS a$i, quantile_sketch_agg($v) FILTER (WHERE id < 5) AS b$i"
    }
    val stored = s"(SELECT ${columns.mkString(", ")} FROM range(10))"
    val types = values.indices.map(i => s"sketch_describe(a$i).value_type").mkString(", ")
    val held = rows(s"SELECT $types FROM $stored").head
    val asked = values.indices.map { i =>
      s"sketch_ks(a$i, b$i, '${held(i)}').distance, sketch_quantile_interval(a$i, 0.5, 0.5, type => '${held(i)}').low, sketch_psi(a$i, b$i).value"
    }
    val answers = rows(s"SELECT ${asked.mkString(", ")} FROM $stored").head
    values.zipWithIndex.foreach { case (v, i) =>
      assertEquals(answers(3 * i), 0.5: Any, v)
      assert(answers(3 * i + 1) != null, v)
      assert(answers.getDouble(3 * i + 2) > 0, v)
    }
    val others = Seq("CAST(id AS DECIMAL(10, 2))", "CAST(id AS FLOAT)", "CAST(id AS SMALLINT)")
    val both = others.zipWithIndex.map { case (v, i) => s"quantile_sketch_agg($v) AS b$i" }.mkString(", ")
    val distances =
      others.indices.map(i => s"sketch_ks(a, b$i).distance, sketch_wasserstein(a, b$i).high").mkString(", ")
    val none = rows(
      s"SELECT $distances FROM (SELECT quantile_sketch_agg(CAST(id AS INT)) AS a, $both FROM range(10))"
    ).head
    assertEquals(none.toSeq, Seq.fill[Any](6)(0.0))
    val mixed =
      "(SELECT quantile_sketch_agg(id) AS a, quantile_sketch_agg(CAST(id AS DOUBLE)) AS b FROM range(10))"
    questions.foreach(q => assert(refusal(q, mixed).contains("CHRONOSKETCH_VALUE_TYPES_DIFFER"), q))
    val dates =
      "(SELECT quantile_sketch_agg(DATE'2013-01-01') AS a, quantile_sketch_agg(DATE'2013-01-02') AS b)"
    for (q <- Seq("sketch_wasserstein(a, b)", "sketch_quantile_difference(a, b, 0.5)"))
      assert(refusal(q, dates).contains("CHRONOSKETCH_NOT_NUMBERS"), q)
    assert(refusal("sketch_ks(a, b)", dates).contains("CHRONOSKETCH_VALUE_NOT_CONVERTIBLE"))
  }

  test("the design effect is that of the users with counts, and NULL without two of them") {
    def effect(counts: String): Any =
      ask("round(quantile_design_effect_agg(b, n), 3)", s"VALUES $counts AS t(b, n)")
    val four = "(9, 10), (2, 10), (8, 10), (1, 10)"
    assertEquals(effect(four), 21.07)
    assertEquals(effect(s"$four, (NULL, 5), (3, NULL), (0, 0)"), 21.07)
    // rows that are as different as can be are independent ones at most
    assertEquals(effect("(5, 10), (5, 10), (5, 10)"), 1.0)
    // all rows are at or below the quantile
    assertEquals(effect("(10, 10), (20, 20)"), 1.0)
    assertEquals(effect("(5, 10)"), null)
    assertEquals(effect("(CAST(NULL AS INT), 10)"), null)
    val grouped = rows(
      "SELECT id % 2, quantile_design_effect_agg(id % 7, 10) FROM range(0, 1000, 1, 4) GROUP BY id % 2 ORDER BY 1"
    ).map(_.getDouble(1))
    val whole = (0 to 1).map { odd =>
      ask("quantile_design_effect_agg(id % 7, 10)", s"range(0, 1000, 1, 1) WHERE id % 2 = $odd")
    }
    assertEquals(grouped: Seq[Any], whole)
    val running = rows("SELECT quantile_design_effect_agg(id, 20) OVER (ORDER BY id) FROM range(10)")
    assertEquals(running.head.get(0), null)
    assertEqualsDouble(running.last.getDouble(0), 4.006149804144799, 1e-12)
  }

  test("wrong arguments are refused when the query is analysed") {
    for (
      q <- Seq(
        "sketch_ks(a, 1)",
        "sketch_ks(1, b)",
        "sketch_ks(a, b, 'text')",
        "sketch_psi(a, b, 1)",
        "sketch_psi(a, b, 10001)",
        "sketch_psi(a, b, CAST(length(a) AS INT))",
        "sketch_quantile_interval(a, 1.5)",
        "sketch_quantile_interval(a, 0.5, 0.2)",
        "sketch_quantile_interval(a, 0.5, 1)",
        "sketch_quantile_interval(a, 0.5, 0.9, 'two')",
        "sketch_quantile_difference(a, b, 'half')",
        "quantile_design_effect_agg(a, 1)"
      )
    ) intercept[org.apache.spark.sql.AnalysisException](spark.sql(s"SELECT $q FROM $sketches"))
  }
}
