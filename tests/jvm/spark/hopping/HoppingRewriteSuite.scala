package chronosketch.spark.hopping

import scala.util.Random

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row

import chronosketch.Cases
import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.operator.OperatorSuite

/** Tests that the rewrite rule does not change the answers of a query. */
class HoppingRewriteSuite extends SparkSuite {
  private val on = HoppingConf.Rewrite -> "true"

  private def sorted(rows: Array[Row]): Seq[String] = rows.map { r =>
    r.toSeq.map {
      case bytes: Array[Byte] => bytes.mkString(" ")
      case other => String.valueOf(other)
    }.mkString(" | ")
  }.sorted.toSeq

  private def plan(query: String): String = sql(query).queryExecution.executedPlan.toString

  private def check(query: String, isRewritten: Boolean = true): Int = {
    val truth = sql(query)
    val expected = withConf(OperatorSuite.notCompiled: _*)(sorted(truth.collect()))
    withConf(on) {
      val asked = sql(query)
      assertEquals(asked.schema, truth.schema, query)
      assertEquals(
        asked.queryExecution.executedPlan.toString.contains("SketchHopping"),
        isRewritten,
        plan(query)
      )
      assertEquals(sorted(asked.collect()), expected, query)
    }
    expected.length
  }

  override def beforeAll(): Unit = {
    super.beforeAll()
    val random = new Random(2)
    val data = Seq.fill(500)((
      if (random.nextInt(20) == 0) null else "host" + random.nextInt(3),
      if (random.nextInt(10) == 0) None else Some(random.nextInt(3)),
      if (random.nextInt(30) == 0) None
      else Some((random.nextInt(4) - 2) * 200000000000L + random.nextInt(900000000)),
      if (random.nextInt(10) == 0) None else Some(random.nextInt(1000).toLong)
    ))
    spark.createDataFrame(data).toDF("host", "zone", "micros", "v")
      .selectExpr(
        "host",
        "zone",
        "timestamp_micros(micros) AS ts",
        "CAST(timestamp_micros(micros) AS TIMESTAMP_NTZ) AS ntz",
        "v"
      )
      .repartition(3)
      .createOrReplaceTempView("hops")
    sql("SELECT DISTINCT host, concat(host, '.net') AS name FROM hops").createOrReplaceTempView("names")
  }

  private val aggregates =
    "quantile_sketch_agg(v) AS s, approx_quantile(v, array(0.5, 0.9)) AS q, count(*) AS n, sum(v) AS total, min(v) AS least, max(host) AS last, avg(v) AS average, " +
      "count(*) FILTER (WHERE v > 500) AS large, sum(v) / count(v) + 1 AS mean"

  private val groupings: Seq[String => String] = Seq(
    by => s"SELECT host, window, $aggregates FROM hops GROUP BY host, $by",
    by => s"SELECT $aggregates FROM hops GROUP BY $by",
    by =>
      s"SELECT zone + 1, window.end, window.start AS at, host, $aggregates FROM hops GROUP BY $by, zone + 1, host"
  )

  // every window with every type of time, and the groupings in turn
  Seq(
    "'10 minutes', '1 minute'",
    "'10 minutes', '4 minutes'",
    "'7 seconds', '3 seconds'",
    "'1 day', '7 hours', '11 minutes'",
    "'10 minutes', '5 minutes', '-30 seconds'",
    "'2 minutes 5 seconds', '2 minutes', '3 seconds'"
  ).zipWithIndex.foreach { case (window, i) =>
    Seq("ts" -> Seq(0, 1), "ntz" -> Seq(2)).foreach { case (time, chosen) =>
      test(s"window($time, $window)") {
        Cases.some(1, chosen).foreach { j =>
          assert(check(groupings((i + j) % groupings.size)(s"window($time, $window)")) > 10)
        }
      }
    }
  }

  private val by = "window(ts, '10 minutes', '4 minutes')"

  private val query = s"SELECT host, window.start AS at, $aggregates FROM hops GROUP BY host, $by"

  private val composedOf = Seq(
    s"SELECT * FROM ($query) WHERE host = 'host1' AND at > TIMESTAMP'1970-01-01'",
    s"SELECT name, at, n FROM ($query) JOIN names USING (host)",
    s"SELECT name, window, count(*) AS n, sum(v) AS v FROM hops JOIN names USING (host) WHERE v > 10 GROUP BY name, $by",
    s"SELECT host, window.start, count(*) AS n FROM hops GROUP BY host, $by HAVING sum(v) > 1000 AND host IS NOT NULL AND window.start < TIMESTAMP'1980-01-01' ORDER BY host, window.start",
    s"SELECT host, (SELECT max(n) FROM ($query)) AS most FROM names",
    s"SELECT host FROM names WHERE EXISTS ($query)",
    s"WITH q AS ($query) SELECT a.host, b.at, a.n + b.n AS n FROM q a JOIN q b ON a.host <=> b.host AND a.at = b.at",
    s"SELECT host, at, n FROM ($query) UNION ALL SELECT host, at, n FROM ($query)",
    s"SELECT host, window_time(window) AS t, n FROM (SELECT host, window, count(*) AS n FROM hops GROUP BY host, $by)",
    s"SELECT host, n, row_number() OVER (PARTITION BY host ORDER BY at) AS nth FROM ($query)"
  )

  Cases.some(6, composedOf).foreach { composed =>
    test(s"queries over windows: ${composed.replace(aggregates, "…")}")(assert(check(composed) > 0))
  }

  test("views, Spark's settings, and tables written with the rewrite") {
    sql(s"CREATE OR REPLACE TEMP VIEW hopped AS $query")
    assert(check("SELECT * FROM hopped WHERE n > 2") > 10)
    withConf("spark.sql.adaptive.enabled" -> "false")(check(query))
    withConf(OperatorSuite.notCompiled: _*)(check(query))
    withConf("spark.sql.ansi.enabled" -> "false")(check(query))
    val stored = sql(query)
    withConf(on) {
      sql(s"CREATE OR REPLACE TEMP VIEW written AS $query")
      spark.table("written").write.mode("overwrite").saveAsTable("hops_written")
    }
    assertEquals(sorted(spark.table("hops_written").collect()), sorted(stored.collect()))
    sql("DROP TABLE hops_written")
  }

  // exclude the rule that would evaluate the condition while the query is planned
  private val folded =
    "spark.sql.optimizer.excludedRules" -> "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"

  test("a condition on keys is pushed down to the rows") {
    withConf(on, folded) {
      val optimized = sql(s"SELECT host, window, count(*) FROM hops GROUP BY host, $by HAVING host = 'host1'")
        .queryExecution.optimizedPlan.toString
      assert(optimized.indexOf("host1", optimized.indexOf("Aggregate")) >= 0, optimized)
    }
  }

  test("aggregations that panes do not support stay with Spark, and EXPLAIN says why") {
    Seq(
      s"SELECT host, window, count(DISTINCT v) AS n FROM hops GROUP BY host, $by" -> "can't be merged from panes",
      s"SELECT host, window, stddev(v) IS NULL AS n FROM hops GROUP BY host, $by" -> "can't be merged from panes",
      s"SELECT host, window, sketch_count(qlove_sketch_agg(v, ts, 0.5, 5)) AS n FROM hops GROUP BY host, $by" -> "can't be merged from panes",
      s"SELECT host, window, max(window.start) AS n FROM hops GROUP BY host, $by" -> "reads the window",
      s"SELECT host, window, count(*) FROM hops GROUP BY host, window.start, $by" -> "another key",
      "SELECT host, window, count(*) FROM hops WHERE v < 10 GROUP BY host, window(ts, '1 second', '999 milliseconds')" -> "panes"
    ).foreach { case (query, why) =>
      try {
        assert(check(query, isRewritten = false) > 0, query)
        withConf(on) {
          val text = plan(query)
          assert(text.contains("Fallback") && text.contains(why), text)
        }
        assert(!plan(query).contains("Fallback"))
      } catch { case e: SparkThrowable => fail(s"$query: $e") }
    }
    Seq(
      s"SELECT host, window, count(*) AS n FROM hops GROUP BY host, window(ts, '10 minutes')",
      s"SELECT host, window, count(*) AS n FROM hops GROUP BY ROLLUP(host, $by)",
      s"SELECT host, session_window, count(*) AS n FROM hops GROUP BY host, session_window(ts, '10 minutes')",
      s"SELECT w.start, count(*) AS n FROM (SELECT $by AS w FROM hops) GROUP BY w"
    ).foreach(query => assert(check(query, isRewritten = false) > 0, query))
  }

  test("the rewrite is off by default, and SET accepts only true and false") {
    val query = s"SELECT host, window, count(*) AS n FROM hops GROUP BY host, $by"
    assert(!plan(query).contains("SketchHopping"))
    withConf(HoppingConf.Rewrite -> "false")(assert(!plan(query).contains("SketchHopping")))
    intercept[Exception](sql(s"SET ${HoppingConf.Rewrite} = sometimes"))
    assert(rows("SET -v").exists(_.getString(0) == HoppingConf.Rewrite))
  }
}
