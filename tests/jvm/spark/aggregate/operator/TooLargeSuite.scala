package chronosketch.spark.aggregate.operator

/** Where generated code is too much for the JVM, expressions are evaluated instead. */
class TooLargeSuite extends OperatorSuite {
  override protected def mayFallBack: Boolean = true

  test("so many functions that the loop does not fit one method") {
    spark.range(0, 240, 1, 2).selectExpr("id % 3 AS k", "int(id) AS i", "id / 4 AS d")
      .createOrReplaceTempView("too_large")
    val many = (1 to 120).map(n => s"sum(i + $n), approx_quantile(d * $n, 0.5)").mkString(", ")
    assertSame(s"SELECT k, $many FROM too_large GROUP BY k")
  }
}
