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
      Seq(64, null)
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
    val from = (builder: String, name: String, shift: Int) =>
      s"(SELECT $builder AS $name FROM (SELECT id, (id * 7919 % 5003) / 10D + $shift AS v FROM range(5000)))"
    val exact = s"${from("quantile_sketch_agg(v, 0)", "a", 0)}, ${from("quantile_sketch_agg(v, 0)", "b", 90)}"
    val Row(ks: Double, _, _, _) = ask("sketch_ks(a, b)", exact): @unchecked
    val Row(distance: Double, _, _) = ask("sketch_wasserstein(a, b)", exact): @unchecked
    for (left <- builders; right <- builders) {
      val both = s"${from(left, "a", 0)}, ${from(right, "b", 90)}"
      val Row(_, low: Double, high: Double, _) = ask("sketch_ks(a, b)", both): @unchecked
      assert(low <= ks && ks <= high, (left, right, low, ks, high))
      val Row(_, least: Double, most: Double) = ask("sketch_wasserstein(a, b)", both): @unchecked
      assert(least <= distance && distance <= most, (left, right, least, distance, most))
      assert(ask("sketch_psi(a, b)", both) != null)
      if (!(left + right).contains("window"))
        assert(ask("sketch_quantile_difference(a, b, 0.5)", both) != null)
    }
    val imported =
      s"(SELECT sketch_from_histogram(array(5D, 50D, 500D), array(2000, 2000, 1000, 0)) AS a), ${from(builders.head, "b", 0)}"
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
    values.foreach { v =>
      val from =
        s"(SELECT quantile_sketch_agg($v) AS a, quantile_sketch_agg($v) FILTER (WHERE id < 5) AS b FROM range(10))"
      val held = ask("sketch_describe(a).value_type", from)
      assertEquals(ask(s"sketch_ks(a, b, '$held').distance", from), 0.5: Any, v)
      assert(ask(s"sketch_quantile_interval(a, 0.5, 0.5, type => '$held').low", from) != null, v)
      assert(ask("sketch_psi(a, b).value", from).asInstanceOf[Double] > 0, v)
    }
    for (v <- Seq("CAST(id AS DECIMAL(10, 2))", "CAST(id AS FLOAT)", "CAST(id AS SMALLINT)")) {
      val from =
        s"(SELECT quantile_sketch_agg(CAST(id AS INT)) AS a, quantile_sketch_agg($v) AS b FROM range(10))"
      assertEquals(ask("sketch_ks(a, b).distance", from), 0.0: Any, v)
      assertEquals(ask("sketch_wasserstein(a, b).high", from), 0.0: Any, v)
    }
    val mixed =
      "(SELECT quantile_sketch_agg(id) AS a, quantile_sketch_agg(CAST(id AS DOUBLE)) AS b FROM range(10))"
    questions.foreach(q => assert(refusal(q, mixed).contains("CHRONOSKETCH_VALUE_TYPES_DIFFER"), q))
    val dates =
      "(SELECT quantile_sketch_agg(DATE'2013-01-01') AS a, quantile_sketch_agg(DATE'2013-01-02') AS b)"
    for (q <- Seq("sketch_wasserstein(a, b)", "sketch_quantile_difference(a, b, 0.5)"))
      assert(refusal(q, dates).contains("CHRONOSKETCH_NOT_NUMBERS"), q)
    assert(refusal("sketch_ks(a, b)", dates).contains("CHRONOSKETCH_VALUE_NOT_CONVERTIBLE"))
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
        "sketch_quantile_difference(a, b, 'half')"
      )
    ) intercept[org.apache.spark.sql.AnalysisException](spark.sql(s"SELECT $q FROM $sketches"))
  }
}
