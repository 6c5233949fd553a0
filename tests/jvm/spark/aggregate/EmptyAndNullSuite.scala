package chronosketch.spark.aggregate

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import chronosketch.spark.SparkSuite

/** Tests input without rows or without values: queries give NULL, and built sketches are empty. */
class EmptyAndNullSuite extends SparkSuite {
  private val aggregates =
    """approx_quantile(v, 0.5) AS q, approx_quantile(v, array(0.5, 0.9)) AS qs, approx_quantile_bounds(v, 0.5) AS b,
      |approx_quantile_bounds(v, array(0.5, 0.9)) AS bs, quantile_sketch_agg(v) AS s""".stripMargin

  private def assertEmpty(row: Row): Unit = {
    Seq("q", "qs", "b", "bs").foreach(c => assert(row.isNullAt(row.fieldIndex(c)), s"$c of $row"))
    assertEquals(row.getAs[Long]("n"), 0L)
  }

  private def ask(from: String, by: String = ""): Seq[Row] =
    rows(s"SELECT *, sketch_count(s) AS n FROM (SELECT $aggregates FROM $from $by)")

  private val ways = Seq(
    "generated code" -> Nil,
    "no codegen" -> Seq(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    ),
    "AQE off" -> Seq("spark.sql.adaptive.enabled" -> "false"),
    "the optimizer's empty relations off" -> Seq(
      "spark.sql.optimizer.excludedRules" ->
        "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation,org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
    )
  )

  ways.foreach { case (way, conf) =>
    test(s"no rows: $way") {
      withConf(conf: _*) {
        val none =
          "(SELECT id AS v, id AS k FROM range(10) WHERE id + rand(1) < 0)" // rand: the planner can't see that it is empty
        Seq(none, "(SELECT id AS v, id AS k FROM range(0))").foreach { from =>
          val global = ask(from)
          assertEquals(global.size, 1)
          assertEmpty(global.head)
          assertEquals(ask(from, "GROUP BY k"), Nil)
          assert(one(
            s"SELECT sketch_merge_agg(s) FROM (SELECT quantile_sketch_agg(v) AS s FROM $from GROUP BY k)"
          ) == null)
        }
      }
    }

    test(s"all values are NULL or rejected by FILTER: $way") {
      withConf(conf: _*) {
        val from = "(SELECT IF(id >= 0, NULL, id) AS v, id % 2 AS k FROM range(10))"
        assertEmpty(ask(from).head)
        val grouped = ask(from, "GROUP BY k")
        assertEquals(grouped.size, 2)
        grouped.foreach(assertEmpty)
        val filtered = rows(
          """SELECT k, approx_quantile(id, 0.5) FILTER (WHERE id % 2 = 0) AS q,
            |  sketch_count(quantile_sketch_agg(id) FILTER (WHERE id % 2 = 0)) AS n,
            |  approx_quantile_bounds(id, 1) FILTER (WHERE id % 2 = 0) AS b
            |FROM (SELECT id, id % 2 AS k FROM range(10)) GROUP BY k ORDER BY k""".stripMargin
        )
        assertEquals(filtered, Seq(Row(0L, 4L, 5L, Row(8L, 8L)), Row(1L, null, 0L, null)))
      }
    }

    test(s"NULL sketches are skipped, and empty sketches add nothing: $way") {
      withConf(conf: _*) {
        val parts =
          """(SELECT quantile_sketch_agg(id) AS s FROM range(1, 101)
            |UNION ALL SELECT CAST(NULL AS BINARY)
            |UNION ALL SELECT quantile_sketch_agg(id) FROM range(0))""".stripMargin
        assertEquals(one(s"SELECT sketch_count(sketch_merge_agg(s)) FROM $parts"), 100L)
        assertEquals(one(s"SELECT sketch_quantile(sketch_merge_agg(s), 0.07, 'bigint') FROM $parts"), 7L)
        assert(one(s"SELECT sketch_merge_agg(s) FROM $parts WHERE s IS NULL") == null)
        assert(one("SELECT sketch_merge_agg(NULL)") == null)
      }
    }
  }

  test("a constant NULL counts as no value") {
    assertEquals(
      rows("SELECT approx_quantile(NULL, 0.5), approx_quantile(NULL, array(0.5))"),
      Seq(Row(null, null))
    )
    assertEquals(one("SELECT sketch_count(quantile_sketch_agg(NULL)) FROM range(5)"), 0L)
    assertEquals(one("SELECT approx_quantile(CAST(NULL AS DATE), 0.5) FROM range(5)"), null)
  }

  test("frequency: NULL and 0 count nothing, and a constant NULL is like no argument") {
    val t = "VALUES (1, 3), (2, NULL), (3, 0), (4, 1) AS t(v, n)"
    assertEquals(one(s"SELECT sketch_count(quantile_sketch_agg(v, frequency => n)) FROM $t"), 4L)
    assertEquals(
      one(s"SELECT approx_quantile(v, array(0.75, 0.76), frequency => n) FROM $t").toString,
      "ArraySeq(1, 4)"
    )
    Seq("NULL", "CAST(NULL AS INT)").foreach { none =>
      assertEquals(one(s"SELECT sketch_count(quantile_sketch_agg(v, frequency => $none)) FROM $t"), 4L)
    }
    Seq("TINYINT", "SMALLINT", "INT", "BIGINT").foreach { w =>
      assertEquals(one(s"SELECT approx_quantile(v, 1, frequency => CAST(n AS $w)) FROM $t"), 4)
      assertEquals(
        one(s"SELECT sketch_count(quantile_sketch_agg(v, frequency => CAST(n AS $w))) FROM $t"),
        4L
      )
    }
  }

  test("frequency: a column that the optimizer replaces by NULL still counts nothing") {
    Seq("CAST(NULL AS INT)", "NULL").foreach { n =>
      val t = s"(SELECT id AS v, $n AS n FROM range(10))"
      assertEquals(one(s"SELECT approx_quantile(v, 0.5, frequency => n) FROM $t"), null)
      assertEquals(one(s"SELECT sketch_count(quantile_sketch_agg(v, frequency => n)) FROM $t"), 0L)
    }
  }

  test(
    "a correlated subquery without rows, and an aggregate with two DISTINCTs without rows, build empty sketches"
  ) {
    val outer = "VALUES (1), (2) AS o(k)"
    val inner = "VALUES (1, 10), (1, 20) AS t(k, v)"
    assertEquals(
      rows(
        s"""SELECT o.k, sketch_count((SELECT quantile_sketch_agg(v) FROM $inner WHERE t.k = o.k)),
           |  (SELECT approx_quantile(v, 0.5) FROM $inner WHERE t.k = o.k) FROM $outer ORDER BY o.k""".stripMargin
      ),
      Seq(Row(1, 2L, 10), Row(2, 0L, null))
    )
    val distinct =
      "SELECT count(DISTINCT k), count(DISTINCT v), sketch_count(quantile_sketch_agg(v)), approx_quantile(v, 0.5)"
    assertEquals(rows(s"$distinct FROM $inner WHERE v + rand(1) < 0"), Seq(Row(0L, 0L, 0L, null)))
    assertEquals(rows(s"$distinct FROM $inner"), Seq(Row(1L, 2L, 2L, 10)))
  }

  test("the schema tells which columns can be NULL") {
    val schema = sql(s"SELECT $aggregates FROM (SELECT id AS v FROM range(1))").schema
    val long = StructType(Seq(
      StructField("low", LongType, nullable = false),
      StructField("high", LongType, nullable = false)
    ))
    assertEquals(
      schema,
      StructType(
        Seq(
          StructField("q", LongType, nullable = true),
          StructField("qs", ArrayType(LongType, containsNull = false), nullable = true),
          StructField("b", long, nullable = true),
          StructField("bs", ArrayType(long, containsNull = false), nullable = true),
          StructField("s", BinaryType, nullable = false)
        )
      )
    )
    val readers = sql(
      """SELECT sketch_quantile(s, 0.5) AS q, sketch_quantile(s, array(0.5, NULL)) AS qs, sketch_merge_agg(s) AS m
        |FROM (SELECT quantile_sketch_agg(id) AS s FROM range(1)) GROUP BY s""".stripMargin
    ).schema
    assertEquals(readers("q").nullable, true)
    assertEquals(readers("qs").dataType, ArrayType(DoubleType, containsNull = true): DataType)
    assertEquals(readers("m").nullable, true)
  }
}
