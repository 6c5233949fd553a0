package chronosketch.spark.window

import java.nio.file.Files

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite

/** Tests windows in every place of a query that allows an aggregate or a sketch. Rows are so few that answers are exact. */
class WindowShapesSuite extends SparkSuite {

  /** Creates a view of the ids 1 to 240, one row per minute, alternately in two groups. Some times and values are NULL. */
  private lazy val t: Unit = spark
    .range(1, 241)
    .selectExpr(
      "id",
      "id % 2 AS k",
      "IF(id % 10 = 4, NULL, id) AS v",
      "IF(id % 10 = 7, NULL, timestamp_seconds(id * 60)) AS t",
      "id % 6 AS status"
    )
    .createOrReplaceTempView("moments")

  private def ask(text: String): Seq[Row] = { t; rows(text) }
  private def askOne(text: String): Any = { t; one(text) }

  /** The values of a group within its last `minutes` minutes. */
  private def last(minutes: Long, k: Long => Boolean = _ => true, status: Long => Boolean = _ => true)
      : IndexedSeq[Long] = {
    val seen = (1L to 240L).filter(id => id % 10 != 4 && id % 10 != 7 && k(id % 2))
    seen.filter(id => id > seen.max - minutes && status(id % 6))
  }

  private def ends(values: IndexedSeq[Long]): Seq[Long] = Seq(values.min, values.max)

  private val window = "within_last('1 hour') AND status >= 3"

  test("HAVING, ORDER BY, ROLLUP, a join below, and a DISTINCT function") {
    val q = s"approx_window_quantile(v, t, array(0, 1), $window)"
    def of(k: Long): Seq[Long] = ends(last(60, _ == k, _ >= 3))
    assertEquals(
      ask(s"SELECT k, $q AS q FROM moments GROUP BY k HAVING $q[0] > 3 ORDER BY $q[0], k"),
      Seq(0L, 1L).map(k => Row(k, of(k))).sortBy(_.getSeq[Long](1).head)
    )
    assertEquals(
      ask(s"SELECT k, $q FROM moments GROUP BY ROLLUP(k) ORDER BY k"),
      Seq(Row(null, ends(last(60, status = _ >= 3))), Row(0L, of(0)), Row(1L, of(1)))
    )
    assertEquals(
      ask(s"SELECT k, $q, count(DISTINCT status), count(v) FROM moments GROUP BY k ORDER BY k"),
      Seq(0L, 1L).map(k => Row(k, of(k), 3L, if (k == 0) 96L else 120L))
    )
    assertEquals(
      ask(
        s"SELECT name, $q FROM moments JOIN VALUES (1, 'one') AS l(k, name) USING (k) GROUP BY name"
      ),
      Seq(Row("one", of(1)))
    )
    assertEquals(
      ask(
        "SELECT * FROM (SELECT v, t, k FROM moments) PIVOT (approx_window_quantile(v, t, array(0, 1), '1 hour') FOR k IN (0, 1))"
      ),
      Seq(Row(ends(last(60, _ == 0)), ends(last(60, _ == 1))))
    )
  }

  test("conditions with subqueries, and in subqueries") {
    assertEquals(
      askOne(
        "SELECT approx_window_quantile(v, t, array(0, 1), among_last(200) AND v > (SELECT max(v) - 10 FROM moments)) FROM moments"
      ),
      Seq(231L, 240L)
    )
    assertEquals(
      askOne(
        "SELECT approx_window_quantile(v, t, 0, within_last('10 minutes') OR v IN (SELECT 3L)) FROM moments"
      ),
      3L
    )
    assertEquals(
      ask(
        s"SELECT (SELECT approx_window_quantile(v, t, 1, $window) FROM moments m WHERE m.k = o.id) FROM range(2) o ORDER BY id"
      ).map(_.getLong(0)),
      Seq(0L, 1L).map(k => last(60, _ == k, _ >= 3).max)
    )
  }

  test("stored sketches in views, in a new session, cached, joined, merged and in arrays") {
    t
    val filters = "map('high', status >= 3)"
    sql(
      s"CREATE TABLE kept_windows USING parquet AS SELECT k, window_sketch_agg(v, t, filters => $filters) AS s FROM moments GROUP BY k"
    )
    val restricted = "sketch_window(s, within_last('1 hour') AND passing('high'))"
    def of(k: Long): Long = last(60, _ == k, _ >= 3).size.toLong
    sql(
      s"CREATE VIEW last_hour AS SELECT k, $restricted AS w, sketch_count($restricted) AS n FROM kept_windows"
    )
    sql(
      s"CREATE VIEW shot_hour AS SELECT k, approx_window_quantile(v, timestamp_seconds(v), 0, within_last('1 minute') AND v > 200) AS q FROM (SELECT id AS v, id % 2 AS k FROM range(240)) GROUP BY k"
    )
    try {
      val counts = Seq(Row(0L, of(0), of(0)), Row(1L, of(1), of(1)))
      val asked = "SELECT k, n, sketch_count(w) FROM last_hour ORDER BY k"
      assertEquals(ask(asked), counts)
      assertEquals(spark.newSession().sql(asked).collect().toSeq, counts)
      assertEquals(
        spark.newSession().sql("SELECT k, q FROM shot_hour ORDER BY k").collect().toSeq,
        Seq(Row(0L, 202L), Row(1L, 201L))
      )
      sql("CACHE TABLE cached_windows AS SELECT * FROM kept_windows")
      assertEquals(
        ask(s"SELECT k, sketch_count($restricted) FROM cached_windows ORDER BY k"),
        counts.map(r => Row(r(0), r(1)))
      )
      sql("UNCACHE TABLE cached_windows")
      assertEquals(
        askOne("SELECT sketch_count(sketch_merge(a.w, b.w)) FROM last_hour a JOIN last_hour b ON a.k < b.k"),
        of(0) + of(1)
      )
      assertEquals(askOne("SELECT sketch_count(sketch_merge_agg(w)) FROM last_hour"), of(0) + of(1))
      assertEquals(
        askOne(
          s"SELECT sketch_count(sketch_merge_agg($restricted)) FROM (TABLE kept_windows UNION ALL TABLE kept_windows)"
        ),
        2 * (of(0) + of(1))
      )
      // a union of sketches has one newest row, but in a union of windows each has its own
      assertEquals(
        askOne(s"SELECT sketch_count(sketch_window(sketch_merge_agg(s), '1 hour')) FROM kept_windows"),
        last(60).size.toLong
      )
      assertEquals(
        askOne(
          "SELECT transform(array('high'), f -> sketch_count(sketch_window(s, among_last(30)))) FROM kept_windows WHERE k = 1"
        ),
        Seq(30L)
      )
    } finally {
      sql("DROP VIEW last_hour")
      sql("DROP VIEW shot_hour")
      sql("DROP TABLE kept_windows")
    }
  }

  test("a sketch for each hour, in partitioned files that are selected by the hour") {
    t
    val folder = Files.createTempDirectory("windows").resolve("hourly").toString
    sql(
      "SELECT date_trunc('HOUR', t) AS hour, window_sketch_agg(v, t) AS s FROM moments WHERE t IS NOT NULL GROUP BY 1"
    )
      .write.partitionBy("hour").parquet(folder)
    spark.read.parquet(folder).createOrReplaceTempView("hourly_windows")
    def ask(until: String, window: String): Any = one(
      s"SELECT sketch_quantile(sketch_window(sketch_merge_agg(s), $window), array(0, 1), 'int') FROM hourly_windows WHERE hour < timestamp_seconds($until)"
    )
    assertEquals(ask("3 * 3600", "'90 minutes'"), Seq(90, 179))
    assertEquals(ask("9 * 3600", "among_last(3)"), Seq(238, 240))
    assertEquals(
      one(
        "SELECT sketch_min(sketch_window(sketch_merge_agg(s), '1 day', timestamp_seconds(7200))) FROM hourly_windows"
      ),
      1.0
    )
  }

  test("EXPLAIN shows the normal form of a window") {
    t
    val written =
      "(within_last('1 hour') OR among_last(9)) AND (within_last('2 hours') OR among_last(5)) AND NOT (status >= 3 AND k = 1)"
    val shot =
      sql(s"EXPLAIN SELECT approx_window_quantile(v, t, 0.5, $written) FROM moments").head().getString(0)
    assert(
      shot.contains(", within_last('1 hour') AND (") &&
        shot.contains(") OR within_last('2 hours') AND among_last(9) AND (") &&
        shot.contains(") OR among_last(5) AND ("),
      shot
    )
    val stored = sql(
      s"""EXPLAIN SELECT sketch_count(sketch_window(s, (within_last(INTERVAL '1' HOUR) OR among_last(9)) AND
         |  (passing('high') OR NOT passing('odd') AND within_last('2 hours')) OR passing('high') AND within_last('1 hour'), as_of => TIMESTAMP'2026-01-01 00:00:00'))
         |FROM (SELECT X'00' AS s FROM range(1))""".stripMargin
    ).head().getString(0)
    assert(
      stored.contains(
        ", within_last('1 hour') AND NOT passing('odd') OR within_last('1 hour') AND passing('high') OR " +
          "within_last('2 hours') AND among_last(9) AND NOT passing('odd') OR among_last(9) AND passing('high'), "
      ),
      stored
    )
  }
}
