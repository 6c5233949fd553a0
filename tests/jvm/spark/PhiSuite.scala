package chronosketch.spark

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row

/** Tests that phi is the decimal that was written, whatever its type. */
class PhiSuite extends SparkSuite {
  private val hundred = "range(1, 101)"
  private val sketch = s"(SELECT quantile_sketch_agg(id) AS s FROM $hundred)"

  // in doubles, 0.07 · 100 is above 7, so that its ceiling would be 8
  Seq(
    "0.07" -> 7L,
    "0.07BD" -> 7L,
    "0.07D" -> 7L,
    "CAST(0.07 AS FLOAT)" -> 7L,
    "CAST(0.07 AS DECIMAL(38, 20))" -> 7L,
    "7e-2" -> 7L,
    "0" -> 1L,
    "1" -> 100L,
    "1L" -> 100L,
    "CAST(1 AS TINYINT)" -> 100L,
    "0.0700000000000000001" -> 8L,
    "1 - 0.01" -> 99L,
    "1 - 0.01D" -> 99L,
    "99 / 100" -> 99L,
    "CAST('0.99' AS DOUBLE)" -> 99L,
    "coalesce(NULL, 0.29)" -> 29L,
    "0.57D" -> 57L,
    "0.58D" -> 58L,
    "CAST(0.57 AS FLOAT)" -> 57L
  ).foreach { case (phi, element) =>
    test(s"phi = $phi of 1 to 100 is $element, from an aggregate and from a sketch") {
      assertEquals(one(s"SELECT approx_quantile(id, $phi) FROM $hundred"), element)
      assertEquals(
        one(s"SELECT approx_quantile_bounds(id, array($phi)) FROM $hundred"),
        Seq(Row(element, element)): Any
      )
      assertEquals(one(s"SELECT sketch_quantile(s, $phi, 'bigint') FROM $sketch"), element)
      assertEquals(
        one(s"SELECT sketch_quantile(s, p, 'bigint') FROM (SELECT s, $phi AS p FROM $sketch)"),
        element
      )
      withConf(
        "spark.sql.optimizer.excludedRules" -> "org.apache.spark.sql.catalyst.optimizer.ConstantFolding"
      ) {
        assertEquals(one(s"SELECT approx_quantile(id, $phi) FROM $hundred"), element)
        assertEquals(one(s"SELECT sketch_quantile(s, $phi, 'bigint') FROM $sketch"), element)
      }
    }
  }

  test("every two-digit phi in a DECIMAL, DOUBLE and FLOAT column gives the right element") {
    val wrong = rows(
      s"""SELECT i, q, d, f FROM (SELECT i, sketch_quantile(s, CAST(i / 100 AS DECIMAL(3, 2)), 'bigint') AS q,
         |  sketch_quantile(s, i / 100D, 'bigint') AS d, sketch_quantile(s, CAST(CAST(i / 100 AS DECIMAL(3, 2)) AS FLOAT), 'bigint') AS f
         |  FROM $sketch CROSS JOIN (SELECT id AS i FROM $hundred)) WHERE NOT (q = i AND d = i AND f = i)""".stripMargin
    )
    assertEquals(wrong, Nil)
  }

  test("arrays: answers in the order of the array, with duplicates; an empty array") {
    assertEquals(
      one(s"SELECT approx_quantile(id, array(0.9, 0.07, 0.9, 0)) FROM $hundred"),
      Seq(90L, 7L, 90L, 1L): Any
    )
    assertEquals(one(s"SELECT approx_quantile(id, array(0, 1)) FROM $hundred"), Seq(1L, 100L): Any)
    assertEquals(one(s"SELECT approx_quantile(id, array()) FROM $hundred"), Nil: Any)
    assertEquals(one(s"SELECT sketch_quantile(s, array(), 'bigint') FROM $sketch"), Nil: Any)
  }

  test("phi as a parameter marker and as a variable") {
    val text = s"SELECT approx_quantile(id, :phi, epsilon => :epsilon) FROM $hundred"
    assertEquals(spark.sql(text, Map("phi" -> 0.07, "epsilon" -> 0.001)).head().getLong(0), 7L)
    assertEquals(
      spark.sql(s"SELECT approx_quantile(id, ?) FROM $hundred", Array[Any](0.99)).head().getLong(0),
      99L
    )
    assertEquals(
      spark.sql(
        s"SELECT approx_quantile(id, ?) FROM $hundred",
        Array[Any](Array(0.07, 0.99))
      ).head().getSeq[Long](0),
      Seq(7L, 99L)
    )
    assertEquals(
      spark.sql(
        s"SELECT sketch_quantile(s, ?, ?) FROM $sketch",
        Array[Any](new java.math.BigDecimal("0.07"), "bigint")
      ).head().getLong(0),
      7L
    )
    assertEquals(
      spark.sql(
        s"SELECT approx_quantile(id, :p) FROM $hundred",
        Map[String, Any]("p" -> 1).asJava
      ).head().getLong(0),
      100L
    )
    sql("DECLARE OR REPLACE VARIABLE wanted DOUBLE DEFAULT 0.07")
    try assertEquals(one(s"SELECT approx_quantile(id, wanted) FROM $hundred"), 7L)
    finally sql("DROP TEMPORARY VARIABLE wanted")
  }

  private val ways = Seq(
    "generated code" -> Nil,
    "no codegen" -> Seq(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    )
  )

  ways.foreach { case (way, conf) =>
    test(s"phi of a query function as a column: a number, an array, NULLs in either: $way") {
      withConf(conf: _*) {
        val asked = rows(
          s"""SELECT i, sketch_quantile(s, p, 'bigint'), sketch_quantile_bounds(s, p, 'bigint') FROM $sketch
             |CROSS JOIN VALUES (1, 0.07), (2, NULL), (3, 1.0), (4, 0.5) AS t(i, p) ORDER BY i""".stripMargin
        )
        assertEquals(
          asked,
          Seq(
            Row(1, 7L, Row(7L, 7L)),
            Row(2, null, null),
            Row(3, 100L, Row(100L, 100L)),
            Row(4, 50L, Row(50L, 50L))
          )
        )
        val arrays = rows(
          s"""SELECT i, sketch_quantile(s, p, 'bigint'), sketch_quantile_bounds(s, p, 'bigint') FROM $sketch
             |CROSS JOIN VALUES (1, array(0.07, NULL)), (2, NULL), (3, array(NULL, 1.0, 0.0)), (4, array()) AS t(i, p) ORDER BY i""".stripMargin
        )
        assertEquals(
          arrays,
          Seq(
            Row(1, Seq[Any](7L, null), Seq(Row(7L, 7L), null)),
            Row(2, null, null),
            Row(3, Seq[Any](null, 100L, 1L), Seq(null, Row(100L, 100L), Row(1L, 1L))),
            Row(4, Nil, Nil)
          )
        )
        assertEquals(
          rows(
            s"SELECT sketch_quantile(s, NULL), sketch_quantile(s, array(NULL)), sketch_quantile(NULL, 0.5), sketch_quantile(s, CAST(NULL AS ARRAY<DOUBLE>)) FROM $sketch"
          ),
          Seq(Row(null, Seq(null), null, null))
        )
      }
    }

    test(s"arrays in consecutive rows that share one buffer are answered separately: $way") {
      withConf(conf: _*) {
        // arrays of equal length: each row's array is at the same place in the buffer as the one before
        spark.range(1, 101).selectExpr(
          "id",
          "array(id / 100D, (100 - id) / 100D) AS p"
        ).repartition(1).createOrReplaceTempView("asked")
        val wrong = rows(
          s"""SELECT id, q FROM (SELECT /*+ BROADCAST(k) */ id, sketch_quantile(s, p, 'bigint') AS q FROM asked CROSS JOIN $sketch AS k)
             |WHERE q[0] <> id OR q[1] <> greatest(100 - id, 1)""".stripMargin
        )
        assertEquals(wrong, Nil)
      }
    }
  }
}
