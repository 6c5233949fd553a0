package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.functions.{col, expr, when}

import chronosketch.Cases

/** Tests the values that the operator summarises: of every type, from any expression, with filters and frequencies. */
class SummarisedValuesSuite extends OperatorSuite {
  private val values: Seq[(String, String)] = Seq(
    "tinyint" -> "CAST(id % 200 - 100 AS TINYINT)",
    "smallint" -> "CAST(id * 300 - 30000 AS SMALLINT)",
    "int" -> "CAST(id * 10000000 - 1000000000 AS INT)",
    "bigint" -> "IF(id = 7, -9223372036854775808, id * 70000000000000000 - 1)",
    "float" -> "element_at(array(float('NaN'), float(-0.0), float(0.0), float('-Infinity'), float(id / 7)), int(id % 5) + 1)",
    "double" -> "element_at(array(double('NaN'), double(-0.0), double(0.0), double('Infinity'), id / 7), int(id % 5) + 1)",
    "decimal(5,2)" -> "CAST(id / 7 - 5 AS DECIMAL(5,2))",
    "decimal(18,4)" -> "CAST(id / 7 - 5 AS DECIMAL(18,4))",
    "date" -> "date_add(DATE'1969-12-01', int(id))",
    "timestamp" -> "timestamp_micros(id * 1000003 - 50000000)",
    "timestamp_ntz" -> "CAST(timestamp_micros(id * 1000003 - 50000000) AS TIMESTAMP_NTZ)",
    "interval year to month" -> "make_ym_interval(0, int(id - 50))",
    "interval day to second" -> "make_dt_interval(0, 0, 0, id - 50)",
    "void" -> "NULL"
  )
  private val asked =
    "quantile_sketch_agg(v) AS s, approx_quantile(v, array(0, 0.3, 1)) AS qs, approx_quantile(v, 0.5) AS q, approx_quantile_bounds(v, 0.5) AS b"

  values.zipWithIndex.foreach { case ((name, value), i) =>
    test(s"$name values, with NULLs, and with frequencies") {
      Cases.turn(i, Seq(s"IF(id % 4 = 1, NULL, $value)", value)).foreach { v =>
        spark.range(0, 120, 1, 2).selectExpr("id", s"$v AS v", "IF(id % 9 = 0, NULL, id % 3) AS n")
          .createOrReplaceTempView("valued")
        val query =
          s"SELECT id % 3, $asked, quantile_sketch_agg(v, frequency => n) AS w FROM valued GROUP BY 1"
        val ours = assertSame(query)
        if (v != value) {
          withConf(OperatorSuite.notCompiled: _*)(assertEqual(
            inOurs(sql(query)),
            ours,
            s"$name, not compiled"
          ))
          assertSame(s"SELECT $asked, quantile_sketch_agg(v, frequency => n) AS w FROM valued")
        }
      }
    }
  }

  private def view(): Unit = spark.range(0, 120, 1, 2)
    .selectExpr(
      "id",
      "IF(id % 4 = 1, NULL, id) AS v",
      "id % 3 AS k",
      "IF(id % 9 = 0, NULL, int(id % 3)) AS n"
    )
    .createOrReplaceTempView("valued")

  test("computed values, casts, literals, and expressions without generated code") {
    view()
    assertSame(
      """SELECT k, approx_quantile(v * 2 + 1, 0.5), approx_quantile(CAST(v AS DECIMAL(10,3)) / 7, 0.5, 0.001),
        |  approx_quantile(CAST(v AS STRING)::INT, 0.5), approx_quantile(7, 0.5), approx_quantile(NULL, 0.5),
        |  approx_quantile(CAST(NULL AS DATE), 0.5), approx_quantile(if(v > 50, v, NULL), 0.5),
        |  approx_quantile(length(repeat('x', int(id))), 0.5), approx_quantile(sqrt(v), array(0.5)),
        |  approx_quantile(CAST(v AS DECIMAL(12,2)) + CAST(0.005 AS DECIMAL(4,3)), 1)
        |FROM valued GROUP BY k""".stripMargin
    )
    // a higher-order function has no generated code, so the whole operator runs without it
    assertSame(
      "SELECT k, approx_quantile(aggregate(array(v, id), 0L, (a, x) -> a + coalesce(x, 0)), 0.5), sum(id) FROM valued GROUP BY k"
    )
  }

  test("a decimal whose scale at run time differs from its type's") {
    val short = RawColumn.of(LooseDecimal(UnresolvedAttribute("id")))
    def query = spark.range(0, 20, 1, 2)
      .select(when(col("id") % 2 === 0, short).otherwise(expr("CAST(id AS DECIMAL(10,2))")).as("v"))
      .agg(expr("approx_quantile(v, array(0, 0.5, 1))"), expr("quantile_sketch_agg(v)"))
    assert(assertSame("scales", query).rows.head.startsWith("{[1.00, 1.50, 19.00]"))
  }

  test("frequencies of every width: NULL and zero count nothing, also together with other calls") {
    view()
    Seq("TINYINT", "SMALLINT", "INT", "BIGINT").foreach { w =>
      assertSame(
        s"SELECT k, quantile_sketch_agg(v, frequency => CAST(n AS $w)), approx_quantile(v, 0.5, frequency => 1000000), approx_quantile(v, 0.5) FROM valued GROUP BY k"
      )
    }
    assertSame(
      "SELECT k, quantile_sketch_agg(v, frequency => m) FROM (SELECT *, NULL AS m FROM valued) GROUP BY k"
    )
    assertSame("SELECT k, quantile_sketch_agg(v, frequency => 0) FROM valued GROUP BY k")
    assertSame("SELECT quantile_sketch_agg(v, frequency => 9223372036854775807) FROM valued WHERE id = 3")
  }

  test("a negative frequency, and more than 2⁶³ − 1 copies, are refused as in Spark's operator") {
    view()
    Seq("GROUP BY k", "").foreach { by =>
      Seq(Nil, OperatorSuite.notCompiled).foreach { conf =>
        withConf(conf: _*) {
          val negative =
            assertSameRefusal(s"SELECT approx_quantile(v, 0.5, frequency => n - 1) FROM valued $by")
          assertEquals(negative.getCondition, "CHRONOSKETCH_INVALID_FREQUENCY")
          assertEquals(negative.getMessageParameters.get("frequency"), "-1")
          assertEquals(negative.getMessageParameters.get("function"), "approx_quantile")
          assertSameRefusal(
            s"SELECT quantile_sketch_agg(id, frequency => 9223372036854775807) FROM valued $by"
          )
        }
      }
    }
  }

  test("the frequency is not evaluated if the value is NULL") {
    view()
    withConf("spark.sql.ansi.enabled" -> "true") {
      // v is NULL if id % 4 = 1, and only these rows would divide by zero
      Seq("GROUP BY k", "").foreach(by =>
        assertSame(s"SELECT approx_quantile(v, 0.5, frequency => abs(100 div (id % 4 - 1))) FROM valued $by")
      )
    }
  }

  test("functions with different filters") {
    view()
    assertSame(
      """SELECT k, quantile_sketch_agg(v) FILTER (WHERE id % 2 = 0), quantile_sketch_agg(v) FILTER (WHERE id % 2 = 1),
        |  quantile_sketch_agg(v), approx_quantile(id, 0.5) FILTER (WHERE v IS NULL), count(*) FILTER (WHERE v > 60),
        |  sum(v) FILTER (WHERE CAST(NULL AS BOOLEAN)), approx_quantile(v, 0.5) FILTER (WHERE n > 1 AND v > 10),
        |  approx_quantile(v, 0.5, frequency => n) FILTER (WHERE n > 1), max(v) FILTER (WHERE id < 10 OR n IS NULL)
        |FROM valued GROUP BY k""".stripMargin
    )
  }

  test("arguments are not evaluated for rows that the filter drops") {
    view()
    val guarded = "FILTER (WHERE id % 3 <> 0)"
    val from = Seq(
      // in one call, in two, in Spark's own functions, as frequency, and guarded by CASE instead of a filter
      s"approx_quantile(100 div (id % 3), 0.5) $guarded",
      s"approx_quantile(100 div (id % 3), 0.5) $guarded, approx_quantile(100 div (id % 3) + 1, 0.5) $guarded, approx_quantile(id, 0.5)",
      s"sum(100 div (id % 3)) $guarded, max(100 div (id % 3)) $guarded, approx_quantile(100 div (id % 3), 0.5) $guarded",
      s"approx_quantile(id, 0.5, frequency => 100 div (id % 3)) $guarded, sum(100 div (id % 3)) $guarded",
      s"approx_quantile(CASE WHEN id % 3 <> 0 THEN 100 div (id % 3) END, 0.5), sum(CASE WHEN id % 3 <> 0 THEN 100 div (id % 3) END)"
    )
    withConf("spark.sql.ansi.enabled" -> "true") {
      for (functions <- from; by <- Seq("GROUP BY n", "")) {
        val query = s"SELECT $functions FROM valued $by"
        val ours = assertSame(query)
        withConf(OperatorSuite.notCompiled: _*)(assertEqual(inOurs(sql(query)), ours, query))
      }
      assertEquals(
        assertSameRefusal("SELECT approx_quantile(100 div (id % 3), 0.5) FROM valued").getCondition,
        "DIVIDE_BY_ZERO"
      )
    }
  }

  test("a scalar subquery as value, frequency and filter") {
    view()
    Seq(Nil, OperatorSuite.notCompiled).foreach { conf =>
      withConf(conf: _*) {
        assertSame(
          """SELECT k, approx_quantile(v + (SELECT max(id) FROM valued), 0.5),
            |  approx_quantile(v, 0.5, frequency => (SELECT min(id) + 2 FROM valued)),
            |  quantile_sketch_agg(v) FILTER (WHERE v > (SELECT approx_quantile(id, 0.5) FROM valued)),
            |  sum(v) FILTER (WHERE v > (SELECT avg(id) FROM valued))
            |FROM valued GROUP BY k""".stripMargin
        )
      }
    }
  }
}
