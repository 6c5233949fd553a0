package chronosketch.spark.sketch

import chronosketch.spark.SparkSuite

/** Tests `sketch_cast` against Spark's CAST of the values, and merges of sketches of two types. */
class SketchCastSuite extends SparkSuite {

  /** Numbers with many digits, halves, and ends that every type of the casts below has. */
  private val doubles =
    "VALUES (-2.5D), (-1.5D), (-0.5D), (0.0D), (0.1D), (0.5D), (1.005D), (2.675D), (1e-7D), (99.995D), (123.45678901234567D), (NULL)"
  private val decimals = "VALUES (-2.50BD), (-0.05BD), (0.15BD), (0.25BD), (99.95BD), (NULL)"
  private val wholes = "VALUES (-100), (-1), (0), (7), (100), (NULL)"

  private val casts = Seq(
    (
      "double",
      doubles,
      Seq("bigint", "int", "tinyint", "float", "decimal(10,2)", "decimal(4,0)", "decimal(18,15)")
    ),
    ("float", doubles, Seq("bigint", "double", "decimal(10,2)", "decimal(18,15)")),
    ("decimal(6,2)", decimals, Seq("bigint", "smallint", "double", "float", "decimal(4,1)", "decimal(18,6)")),
    ("int", wholes, Seq("tinyint", "bigint", "float", "double", "decimal(5,2)")),
    (
      "bigint",
      "VALUES (9007199254740993), (-9007199254740993), (123456789012345678)",
      Seq("double", "float", "decimal(18,0)")
    ),
    (
      "timestamp_ntz",
      "VALUES (TIMESTAMP_NTZ'1969-12-31 23:59:59'), (TIMESTAMP_NTZ'2026-01-01 12:00:00')",
      Seq("date")
    ),
    ("date", "VALUES (DATE'1969-12-31'), (DATE'2026-01-01')", Seq("timestamp_ntz"))
  )

  for ((from, rows, types) <- casts; to <- types)
    test(s"a sketch of $from cast to $to is the sketch of the values cast by Spark") {
      val values = s"(SELECT CAST(v AS $from) AS v FROM ($rows) AS t(v))"
      val row = sql(
        s"""SELECT sketch_cast(s, '$to') = ofCast, sketch_describe(sketch_cast(s, '$to')).value_type = upper('$to')
           |FROM (SELECT quantile_sketch_agg(v) AS s, quantile_sketch_agg(CAST(v AS $to)) AS ofCast FROM $values)""".stripMargin
      ).head()
      assertEquals((row.getBoolean(0), row.getBoolean(1)), (true, true), s"$from to $to")
    }

  test("a large sketch keeps its certificate when it is cast") {
    val row = sql(
      """WITH data AS (SELECT id * 0.37D AS v FROM range(0, 50000, 1, 4)),
        |sketched AS (SELECT sketch_cast(quantile_sketch_agg(v, 0.01), 'int') AS s FROM data),
        |exact AS (SELECT percentile_disc(0.3) WITHIN GROUP (ORDER BY CAST(v AS INT)) AS q, count_if(CAST(v AS INT) <= 1000) AS r FROM data)
        |SELECT q BETWEEN sketch_quantile_bounds(s, 0.3, 'int').low AND sketch_quantile_bounds(s, 0.3, 'int').high,
        |r BETWEEN sketch_rank_bounds(s, 1000).low AND sketch_rank_bounds(s, 1000).high,
        |sketch_rank_error(s) <= 0.01, sketch_count(s) = 50000 FROM sketched, exact""".stripMargin
    ).head()
    (0 until row.size).foreach(i => assertEquals(row.get(i), true: Any, i.toString))
  }

  test("sketches of whole numbers, floats and doubles merge with one another wherever sketches merge") {
    val sketched =
      """(SELECT 1 AS k, quantile_sketch_agg(1) AS s UNION ALL SELECT 2, quantile_sketch_agg(CAST(2.5 AS FLOAT))
        |UNION ALL SELECT 3, quantile_sketch_agg(3.5D) UNION ALL SELECT 4, quantile_sketch_agg(CAST(4 AS TINYINT))
        |UNION ALL SELECT 5, quantile_sketch_agg(CAST(NULL AS DATE)))""".stripMargin
    assertEquals(
      one(s"SELECT sketch_quantile(sketch_merge_agg(s), array(0, 0.4, 0.6, 1)) FROM $sketched"),
      Seq(1.0, 2.5, 3.5, 4.0): Any
    )
    val over =
      sql(
        s"SELECT k, sketch_max(sketch_merge_agg(s) OVER (ORDER BY k ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)) AS m FROM $sketched ORDER BY k"
      ).collect().map(_.getDouble(1)).toSeq
    assertEquals(over, Seq(1.0, 2.5, 3.5, 4.0, 4.0))
  }

  test("each family that a type can hold exactly merges with it") {
    Seq(
      "ddsketch_agg(%s)" -> "sketch_max(%s)",
      "moments_agg(%s)" -> "sketch_sum(%s)",
      "sample_sketch_agg(%s)" -> "sketch_max(%s)",
      "window_sketch_agg(%s, 1)" -> "sketch_max(%s)",
      "window_sample_agg(%s, 1)" -> "sketch_max(%s)",
      "window_moments_agg(%s, 1)" -> "sketch_sum(%s)"
    ).foreach { case (build, ask) =>
      val union = s"sketch_merge(${build.format("1")}, ${build.format("2.5D")})"
      val expected = if (ask.startsWith("sketch_sum")) 3.5 else 2.5
      assertEquals(one(s"SELECT ${ask.format(union)}"), expected, build)
    }
  }

  test("a moments sketch takes whole numbers that doubles have, and refuses others") {
    assertEquals(
      one("SELECT sketch_sum(sketch_cast(moments_agg(9007199254740992L), 'double'))"),
      9007199254740992.0
    )
    val e = refusal("SELECT sketch_cast(moments_agg(9007199254740993L), 'double')")
    assertEquals(e.getCondition, "CHRONOSKETCH_NOT_CASTABLE")
  }

  test("the type is a constant that names a type, and NULL sketches give NULL") {
    assertEquals(
      refusal("SELECT sketch_cast(quantile_sketch_agg(1), 'text')").getCondition,
      "CHRONOSKETCH_INVALID_TYPE_NAME"
    )
    assertEquals(one("SELECT sketch_cast(CAST(NULL AS BINARY), 'double')"), null)
    assertEquals(
      one("SELECT sketch_max(sketch_cast(sketch => quantile_sketch_agg(7), type => 'double'))"),
      7.0
    )
  }

  test("a cast is read by another function without being stored in between") {
    val plan = sql(
      "SELECT sketch_max(sketch_cast(s, 'double'), 'double') FROM (SELECT quantile_sketch_agg(id) AS s FROM range(9))"
    )
    assertEquals(plan.head().getDouble(0), 8.0)
  }
}
