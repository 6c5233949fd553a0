package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.functions.{col, expr, when}

import chronosketch.Cases

/** Tests that grouping by keys of every type gives the same groups as Spark. */
class GroupingKeysSuite extends OperatorSuite {
  private val keys: Seq[(String, String)] = Seq(
    "boolean" -> "id % 2 = 0",
    "tinyint" -> "CAST(id % 5 - 2 AS TINYINT)",
    "smallint" -> "CAST(id % 5 * 10000 - 20000 AS SMALLINT)",
    "int" -> "CAST(id % 5 * 1000000000 - 2000000000 AS INT)",
    "bigint" -> "id % 5 * 2000000000000000000 - 4000000000000000000",
    "float" -> "element_at(array(float('NaN'), float(-0.0), float(0.0), float('-Infinity'), float(0.1)), int(id % 5) + 1)",
    "double" -> "element_at(array(double('NaN'), double(-0.0), double(0.0), double('Infinity'), double(0.1)), int(id % 5) + 1)",
    "decimal(10,2)" -> "CAST((id % 5 - 2) / 4 AS DECIMAL(10,2))",
    "decimal(18,0)" -> "CAST(id % 5 * 199999999999999999 AS DECIMAL(18,0))",
    "decimal(19,0)" -> "CAST(id % 5 * 2000000000000000000 AS DECIMAL(19,0))",
    "decimal(30,5)" -> "CAST((id % 5 - 2) / 4 AS DECIMAL(30,5)) * 1000000000000000000000",
    "date" -> "date_add(DATE'1969-12-30', int(id % 5))",
    "timestamp" -> "timestamp_micros(id % 5 - 2)",
    "timestamp_ntz" -> "CAST(timestamp_micros(id % 5 - 2) AS TIMESTAMP_NTZ)",
    "interval year to month" -> "make_ym_interval(0, int(id % 5 - 2))",
    "interval day to second" -> "make_dt_interval(0, 0, 0, id % 5 - 2)",
    "string" -> "element_at(array('', 'a', 'aaaaaaaa', 'aaaaaaaab', 'é'), int(id % 5) + 1)",
    "binary" -> "element_at(array(X'', X'00', X'0000', X'FF', X'00000000000000FF'), int(id % 5) + 1)",
    "char(5)" -> "CAST(string(id % 5) AS CHAR(5))",
    "struct" -> "named_struct('a', id % 2, 'b', IF(id % 3 = 0, NULL, double(-0.0)), 'c', string(id % 2))",
    "array" -> "IF(id % 3 = 0, array(), array(id % 2, NULL))",
    "array of doubles" -> "IF(id % 2 = 0, array(double(0.0), double('NaN')), array(double(-0.0), double('NaN')))",
    "map" -> "IF(id % 2 = 0, map('a', id % 3, 'b', 1), map('b', 1, 'a', id % 3))",
    "void" -> "NULL"
  )
  // one type for each way in which a key is read from a row
  private val notCompiled =
    Set(
      "boolean",
      "tinyint",
      "int",
      "bigint",
      "double",
      "decimal(10,2)",
      "decimal(30,5)",
      "string",
      "map",
      "void"
    )
  private val asked =
    "sketch_count(quantile_sketch_agg(id)) AS n, approx_quantile(id, 0.5) AS q, count(*) AS rows, hex(quantile_sketch_agg(id)) AS s"

  private def view(key: String): Unit = spark.range(0, 120, 1, 3).selectExpr("id", s"$key AS k")
    .createOrReplaceTempView("keyed")

  Cases.some(14, keys).foreach { case (name, key) =>
    test(s"by $name, without and with NULLs") {
      view(key)
      val groups = assertSame(s"SELECT k, $asked FROM keyed GROUP BY k").rows.size
      view(s"IF(id % 7 = 6, NULL, $key)")
      val nullable = s"SELECT k, $asked FROM keyed GROUP BY k"
      val withNull = assertSame(nullable)
      assertEquals(withNull.rows.size, if (name == "void") 1 else groups + 1)
      if (notCompiled(name))
        withConf(OperatorSuite.notCompiled: _*)(assertEqual(inOurs(sql(nullable)), withNull, nullable))
    }
  }

  test("both zeros are one group, and all NaNs are one group") {
    Seq("float", "double").foreach { t =>
      view(s"element_at(array($t(-0.0), $t(0.0), $t('NaN'), -$t('NaN')), int(id % 4) + 1)")
      val query = s"SELECT k, count(*), approx_quantile(id, 0) FROM keyed GROUP BY k"
      assertEquals(assertSame(query).rows, Seq("{0.0, 60, 0}", "{NaN, 60, 2}"))
      // if rows are partitioned by keys that are not normalised
      val clustered =
        s"SELECT k, count(*), approx_quantile(id, 0) FROM (SELECT /*+ REPARTITION(3, k) */ * FROM keyed) GROUP BY k"
      assertEquals(assertSame(clustered).rows.size, 2)
    }
  }

  test("by two and by three columns, in any order") {
    spark.range(0, 300, 1, 3).selectExpr(
      "id",
      "IF(id % 7 = 0, NULL, id % 3) AS a",
      "IF(id % 5 = 0, NULL, concat('s', id % 2)) AS b",
      "double(id % 2) AS c"
    ).createOrReplaceTempView("keyed")
    Seq("a, b", "b, a", "a, c", "a, b, c", "c, b, a").foreach(by =>
      assertSame(s"SELECT $by, $asked FROM keyed GROUP BY $by")
    )
    assertSame(s"SELECT b, $asked FROM keyed GROUP BY a, b") // a key that is not selected
  }

  test("by expressions, by a constant, by the same key twice") {
    view("id % 10")
    assertSame(s"SELECT id % 10, $asked FROM keyed GROUP BY id % 10")
    assertSame(s"SELECT upper(concat('s', k)) AS u, $asked FROM keyed GROUP BY upper(concat('s', k))")
    assertSame(s"SELECT k % 2, k % 3, $asked FROM keyed GROUP BY k % 2, k % 3 HAVING k % 2 = 1")
    assertEquals(assertSame(s"SELECT 'x', $asked FROM keyed GROUP BY 'x'").rows.size, 1)
    assertEquals(
      assertSame(s"SELECT 'x', $asked FROM keyed WHERE pmod(id * 3, 7) > 6 GROUP BY 'x'").rows.size,
      0
    )
    assertSame(s"SELECT k, k AS again, $asked FROM keyed GROUP BY k, k")
    assertSame(s"SELECT k, $asked FROM keyed GROUP BY ALL")
  }

  test("by strings longer than a chunk of keys") {
    spark.range(0, 60, 1, 2).selectExpr("id", "concat(repeat('x', int(100000 * (id % 3))), id % 6) AS k")
      .createOrReplaceTempView("long")
    val query =
      "SELECT length(k), right(k, 1), q, n FROM (SELECT k, approx_quantile(id, 0.5) AS q, count(*) AS n FROM long GROUP BY k)"
    assertEquals(assertSame(query).rows.size, 6)
    withConf(OperatorSuite.notCompiled: _*)(assertSame(query))
  }

  test("fifty thousand groups, by a number and by a string") {
    // multiples of 2^32, which only the upper half of a hash distinguishes
    spark.range(0, 100000, 1, 2).selectExpr("id", "(id % 50000) << 32 AS a", "string(id % 50000) AS b")
      .createOrReplaceTempView("wide")
    Seq("a", "b").foreach { by =>
      val each = s"SELECT $by AS k, approx_quantile(id, 1) AS q, min(id) AS least FROM wide GROUP BY $by"
      val query = s"SELECT count(*), count(DISTINCT k), sum(q), sum(least), sum(q - least) FROM ($each)"
      assertEquals(assertSame(query).rows, Seq("{50000, 50000, 3749975000, 1249975000, 2500000000}"))
    }
  }

  test("decimals that differ only in their scale at run time are one key") {
    val short = RawColumn.of(LooseDecimal(UnresolvedAttribute("id")))
    def query = spark.range(0, 20, 1, 2)
      .select(
        col("id"),
        when(col("id") % 2 === 0, short).otherwise(expr("CAST('1.50' AS DECIMAL(10,2))")).as("k")
      )
      .groupBy("k").agg(expr("approx_quantile(id, 1)"), expr("count(*)"), expr("approx_quantile(k, 0.5)"))
    Seq(Nil, OperatorSuite.notCompiled).foreach { conf =>
      withConf(conf: _*)(assertEquals(assertSame("scales", query).rows, Seq("{1.50, 19, 20, 1.50}")))
    }
  }
}
