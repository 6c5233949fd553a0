package chronosketch.spark.aggregate

import java.nio.file.Files

import org.apache.spark.sql.Row

import chronosketch.spark.{Exact, SparkSuite}

/** Tests the aggregates in every place of a query that allows an aggregate, and sketches in every place that allows a column. */
class QueryShapesSuite extends SparkSuite {

  /** Creates a view of the ids 1 to 100 with their parity and decile. */
  private lazy val t: Unit =
    spark.range(1, 101).selectExpr(
      "id AS v",
      "id % 2 AS k",
      "CAST((id - 1) / 10 AS INT) AS d"
    ).createOrReplaceTempView("shapes")

  private val odd = (1L to 99L by 2).toIndexedSeq

  private def ask(text: String): Seq[Row] = { t; rows(text) }
  private def askOne(text: String): Any = { t; one(text) }

  test("HAVING, ORDER BY, a filter and a join below, a CTE") {
    assertEquals(
      ask(
        "SELECT d FROM shapes GROUP BY d HAVING approx_quantile(v, 0.5) > 70 ORDER BY d DESC"
      ).map(_.getInt(0)),
      Seq(9, 8, 7)
    )
    assertEquals(
      ask("SELECT d FROM shapes GROUP BY d ORDER BY approx_quantile(v, 0.5) DESC LIMIT 2").map(_.getInt(0)),
      Seq(9, 8)
    )
    assertEquals(
      ask(
        """WITH odd AS (SELECT * FROM shapes WHERE k = 1), labels AS (SELECT * FROM VALUES (1, 'one') AS l(k, name))
          |SELECT name, approx_quantile(v, 0.9) FROM odd JOIN labels USING (k) WHERE v <> 99 GROUP BY name""".stripMargin
      ),
      Seq(Row("one", Exact.quantile(odd.init, "0.9")))
    )
    assertEquals(
      askOne(
        "SELECT approx_quantile(s.v, 0.5) FROM shapes s LEFT JOIN shapes r ON s.v = r.v AND r.k = 0 WHERE r.v IS NULL"
      ),
      49L
    )
  }

  test("ROLLUP, CUBE and GROUPING SETS") {
    val answers = ask(
      "SELECT k, d, approx_quantile(v, 0.5), sketch_count(quantile_sketch_agg(v)) FROM shapes GROUP BY CUBE(k, d)"
    )
    assertEquals(answers.size, 1 + 2 + 10 + 20)
    answers.foreach { r =>
      val sorted = (1L to 100L).filter(v =>
        (r.isNullAt(0) || v % 2 == r.getLong(0)) && (r.isNullAt(1) || (v - 1) / 10 == r.getInt(1))
      )
      assertEquals(r.getLong(2), Exact.quantile(sorted, "0.5"), r.toString)
      assertEquals(r.getLong(3), sorted.size.toLong, r.toString)
    }
    assertEquals(
      ask("SELECT k, approx_quantile(v, 1) FROM shapes GROUP BY ROLLUP(k) ORDER BY k"),
      Seq(Row(null, 100L), Row(0L, 100L), Row(1L, 99L))
    )
    assertEquals(
      ask("SELECT approx_quantile(v, 0) FROM shapes GROUP BY GROUPING SETS ((k), (d), ())").size,
      13
    )
  }

  test("DISTINCT alone, with FILTER and together with another DISTINCT") {
    val twice = "(SELECT IF(v > 50, 50, v) AS v, d, k FROM shapes)" // half of the rows have the value 50
    assertEquals(askOne(s"SELECT approx_quantile(DISTINCT v, 0.5) FROM $twice"), 25L)
    assertEquals(askOne(s"SELECT approx_quantile(v, 0.5) FROM $twice"), 50L)
    assertEquals(askOne(s"SELECT sketch_count(quantile_sketch_agg(DISTINCT v)) FROM $twice"), 50L)
    assertEquals(askOne(s"SELECT approx_quantile(DISTINCT v, 0.5) FILTER (WHERE v < 50) FROM $twice"), 25L)
    assertEquals(
      ask(
        s"""SELECT approx_quantile(DISTINCT v, 0.5), approx_quantile(DISTINCT d, array(0.1, 1)), approx_quantile(v, 0.5),
           |  approx_quantile_bounds(DISTINCT v, 1, epsilon => 0.01), count(DISTINCT k) FROM $twice""".stripMargin
      ),
      Seq(Row(25L, Seq(0, 9), 50L, Row(50L, 50L), 2L))
    )
    assertEquals(
      askOne(
        s"SELECT approx_quantile(DISTINCT v, 0.5, frequency => d) FROM (SELECT 1 AS v, 2 AS d UNION ALL SELECT 1, 2)"
      ),
      1
    )
  }

  test("PIVOT, with one answer, an array, bounds and sketches") {
    val from = "(SELECT v, k, d FROM shapes WHERE d < 2)"
    val first = (1L to 10L).toIndexedSeq
    def of(k: Long, d: Int): IndexedSeq[Long] = first.map(_ + 10 * d).filter(_ % 2 == k)
    assertEquals(
      ask(s"SELECT * FROM $from PIVOT (approx_quantile(v, 0.5) FOR k IN (0 AS even, 1 AS odd)) ORDER BY d"),
      Seq(0, 1).map(d => Row(d, Exact.quantile(of(0, d), "0.5"), Exact.quantile(of(1, d), "0.5")))
    )
    assertEquals(
      ask(
        s"SELECT * FROM $from PIVOT (approx_quantile(v, array(0.2, 1), epsilon => 0.001) FOR k IN (0 AS even, 1 AS odd)) ORDER BY d"
      ),
      Seq(0, 1).map(d => Row(d, Seq(of(0, d).head, of(0, d).last), Seq(of(1, d).head, of(1, d).last)))
    )
    assertEquals(
      ask(
        s"SELECT * FROM $from PIVOT (approx_quantile_bounds(v, 1) AS b, sketch_count(quantile_sketch_agg(v)) AS n FOR k IN (0 AS even)) ORDER BY d"
      ),
      Seq(Row(0, Row(10L, 10L), 5L), Row(1, Row(20L, 20L), 5L))
    )
    assertEquals(
      ask(s"SELECT * FROM $from PIVOT (approx_quantile_bounds(v, 1, frequency => k) AS b FOR d IN (0, 1))"),
      Seq(Row(Row(9L, 9L), Row(19L, 19L)))
    )
  }

  test("scalar, correlated, IN and EXISTS subqueries") {
    assertEquals(
      askOne("SELECT count(*) FROM shapes WHERE v > (SELECT approx_quantile(v, 0.9) FROM shapes)"),
      10L
    )
    assertEquals(
      askOne(
        "SELECT count(*) FROM shapes o WHERE v >= (SELECT approx_quantile(v, 0.5) FROM shapes i WHERE i.d = o.d)"
      ),
      60L
    )
    assertEquals(
      askOne(
        "SELECT count(*) FROM shapes WHERE v IN (SELECT approx_quantile(v, 0.5) FROM shapes GROUP BY d)"
      ),
      10L
    )
    assertEquals(
      askOne(
        "SELECT count(*) FROM shapes o WHERE EXISTS (SELECT 1 FROM shapes i WHERE i.d = o.d HAVING approx_quantile(v, 1) = 30)"
      ),
      10L
    )
  }

  test("temporary and stored views, a new session, a cached table") {
    t
    sql(
      "CREATE OR REPLACE TEMP VIEW medians AS SELECT k, approx_quantile(v, 0.5, epsilon => 1e-3) AS q FROM shapes GROUP BY k"
    )
    assertEquals(ask("SELECT q FROM medians ORDER BY k").map(_.getLong(0)), Seq(50L, 49L))
    sql(
      "CREATE TABLE shape_sketches USING parquet AS SELECT k, quantile_sketch_agg(v) AS s FROM shapes GROUP BY k"
    )
    sql(
      "CREATE VIEW stored_medians AS SELECT k, sketch_quantile(s, phi => 0.5, type => 'bigint') AS q FROM shape_sketches"
    )
    try {
      assertEquals(ask("SELECT q FROM stored_medians ORDER BY k").map(_.getLong(0)), Seq(50L, 49L))
      val other = spark.newSession()
      assertEquals(
        other.sql("SELECT q FROM stored_medians ORDER BY k").collect().map(_.getLong(0)).toSeq,
        Seq(50L, 49L)
      )
      sql("CACHE TABLE cached_sketches AS SELECT * FROM shape_sketches")
      assertEquals(askOne("SELECT sketch_quantile(sketch_merge_agg(s), 0.07, 'int') FROM cached_sketches"), 7)
      sql("UNCACHE TABLE cached_sketches")
    } finally {
      sql("DROP VIEW stored_medians")
      sql("DROP TABLE shape_sketches")
    }
  }

  test("a stored view keeps the meaning of 'timestamp' that it was created with") {
    sql(
      "CREATE TABLE times USING parquet AS SELECT quantile_sketch_agg(CAST('2013-01-02 03:04:05' AS TIMESTAMP_NTZ)) AS s"
    )
    withConf("spark.sql.timestampType" -> "TIMESTAMP_NTZ") {
      sql("CREATE VIEW median_time AS SELECT sketch_quantile(s, 0.5, 'timestamp') AS q FROM times")
    }
    try assertEquals(
        askOne("SELECT q FROM median_time"),
        java.time.LocalDateTime.parse("2013-01-02T03:04:05"): Any
      )
    finally { sql("DROP VIEW median_time"); sql("DROP TABLE times") }
  }

  test("sketches in partitioned Parquet files, with a filter; UNION by name; collect") {
    t
    val folder = Files.createTempDirectory("sketches").resolve("by_d").toString
    sql("SELECT d, quantile_sketch_agg(v) AS s FROM shapes GROUP BY d").write.partitionBy("d").parquet(folder)
    spark.read.parquet(folder).createOrReplaceTempView("by_d")
    assertEquals(
      askOne("SELECT sketch_quantile(sketch_merge_agg(s), 0.5, 'bigint') FROM by_d WHERE d >= 5"),
      75L
    )
    assertEquals(askOne("SELECT count(*) FROM by_d WHERE is_sketch(s) AND sketch_max(s) > 60"), 4L)
    val collected = ask("SELECT s FROM by_d WHERE d = 0").head.getAs[Array[Byte]](0)
    assertEquals(
      spark.createDataFrame(Seq((1, collected))).toDF(
        "i",
        "s"
      ).selectExpr("sketch_count(s)").head().getLong(0),
      10L
    )
    assertEquals(
      askOne(
        "SELECT sketch_count(sketch_merge_agg(s)) FROM (SELECT s FROM by_d UNION ALL SELECT s FROM by_d)"
      ),
      200L
    )
    withConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
      assertEquals(askOne("SELECT sketch_count(sketch_merge_agg(s)) FROM by_d"), 100L)
    }
  }

  test("aggregates of aggregates, lateral columns, higher-order functions") {
    assertEquals(
      askOne(
        "SELECT approx_quantile(q, 1) FROM (SELECT approx_quantile(v, 0.5) AS q FROM shapes GROUP BY d)"
      ),
      95L
    )
    assertEquals(ask("SELECT approx_quantile(v, 0.5) AS q, q + 1 AS next FROM shapes"), Seq(Row(50L, 51L)))
    assertEquals(
      askOne(
        "SELECT transform(array(0.1, 0.5), p -> sketch_quantile(s, p)) FROM (SELECT quantile_sketch_agg(v) AS s FROM shapes)"
      ),
      Seq(10.0, 50.0): Any
    )
    assertEquals(
      askOne(
        """SELECT aggregate(collect_list(s), CAST(NULL AS BINARY), (a, s) -> coalesce(sketch_merge(a, s), s), a -> sketch_count(a))
          |FROM (SELECT quantile_sketch_agg(v) AS s FROM shapes GROUP BY d)""".stripMargin
      ),
      100L
    )
    assertEquals(
      askOne("SELECT sum(sketch_count(s)) FROM (SELECT quantile_sketch_agg(v) AS s FROM shapes GROUP BY d)"),
      100L
    )
  }

  test("EXPLAIN shows a call as written") {
    t
    val plan = sql("EXPLAIN SELECT approx_quantile(v, 0.5, epsilon => 0.001) FROM shapes").head().getString(0)
    assert(plan.contains("approx_quantile(v#") && plan.contains("L, 0.5, 0.001"), plan)
    val reader = sql(
      "EXPLAIN EXTENDED SELECT sketch_quantile(s, 0.5) FROM (SELECT quantile_sketch_agg(v) AS s FROM shapes)"
    ).head().getString(0)
    assert(reader.contains("sketch_quantile(quantile_sketch_agg(v#"), reader)
  }

  test("an epsilon of −0.0 equals one of 0.0") {
    def asked(epsilon: String) =
      s"""SELECT approx_quantile(id, 0.99, $epsilon), approx_quantile_bounds(id, 0.5, $epsilon),
         |  hex(quantile_sketch_agg(id, $epsilon)), hex(window_sketch_agg(id, id, epsilon => $epsilon)),
         |  hex(history_sketch_agg(id, id, epsilon => $epsilon)) FROM range(0, 20000, 1, 3)""".stripMargin
    val signed = rows(asked("-0.0D"))
    assertEquals(signed, rows(asked("0.0D")))
    assertEquals(signed.head.get(0), 19799L: Any)
    def slid(epsilon: String) =
      s"SELECT id, approx_quantile(id, 0.5, $epsilon) OVER (ORDER BY id ROWS 99 PRECEDING) FROM range(300)"
    assertEquals(rows(slid("-0.0D")), rows(slid("0.0D")))
  }
}
