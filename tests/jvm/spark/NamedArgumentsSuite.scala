package chronosketch.spark

/** Tests arguments by position and by name, defaults, and errors: all as for Spark's own functions. */
class NamedArgumentsSuite extends SparkSuite {
  private val t = "VALUES (1, 1), (2, 9) AS t(v, n)"

  Seq(
    "approx_quantile(v, 0.5)" -> 1,
    "approx_quantile(v, 0.5, 0.01, n)" -> 2,
    "approx_quantile(v, 0.5, frequency => n)" -> 2,
    "approx_quantile(v, phi => 0.5, frequency => n, epsilon => 0)" -> 2,
    "approx_quantile(frequency => n, phi => 0.5, value => v)" -> 2,
    "APPROX_QUANTILE(v, PHI => 0.5, Frequency => n)" -> 2,
    "approx_quantile(v, 0.5, frequency => NULL)" -> 1,
    "chronosketch_approx_quantile(v, phi => 0.5, frequency => n)" -> 2,
    "sketch_quantile(quantile_sketch_agg(v, frequency => n), type => 'int', phi => 0.5)" -> 2,
    "sketch_max(sketch => quantile_sketch_agg(value => v), type => 'int')" -> 2
  ).foreach { case (call, answer) =>
    test(call)(assertEquals(one(s"SELECT $call FROM $t"), answer: Any))
  }

  // errors are compared with those of the same call of Spark's own mask(str, upper, lower, ...)
  private def condition(call: String): String = refusal(s"SELECT $call FROM $t").getCondition

  Seq(
    (
      "an unknown name",
      "approx_quantile(v, 0.5, accuracy => 3)",
      "mask('a', accuracy => 'b')",
      "UNRECOGNIZED_PARAMETER_NAME"
    ),
    (
      "one left out",
      "approx_quantile(v, epsilon => 0.1)",
      "mask(upperChar => 'x')",
      "REQUIRED_PARAMETER_NOT_FOUND"
    ),
    ("none", "approx_quantile()", "mask()", "REQUIRED_PARAMETER_NOT_FOUND"),
    (
      "too many",
      "sketch_count(X'00', 1)",
      "mask('a', 'b', 'c', 'd', 'e', 'f')",
      "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"
    ),
    (
      "one twice",
      "approx_quantile(v, 0.5, phi => 0.9)",
      "mask('a', 'b', upperChar => 'c')",
      "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED"
    ),
    (
      "a name before a position",
      "approx_quantile(v, phi => 0.5, 0.1)",
      "mask('a', upperChar => 'b', 'c')",
      "UNEXPECTED_POSITIONAL_ARGUMENT"
    )
  ).foreach { case (what, call, spark, expected) =>
    test(s"$what: $call") {
      assertEquals(condition(call), condition(spark))
      assertEquals(condition(call), expected)
    }
  }

  test("the message for an unknown name suggests the right one, and for a missing one names it") {
    val unknown =
      refusal(s"SELECT approx_quantile(v, 0.5, epsilo => 3) FROM $t").asInstanceOf[Throwable].getMessage
    assert(unknown.contains("`epsilon`"), unknown)
    val missing = refusal(s"SELECT approx_quantile(v) FROM $t").asInstanceOf[Throwable].getMessage
    assert(missing.contains("`phi`"), missing)
  }

  test("a misspelt function is reported as unknown, with the right name") {
    assertEquals(condition("aprox_quantile(v, 0.5)"), "CHRONOSKETCH_UNKNOWN_FUNCTION")
  }
}
