package chronosketch.spark

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession

import chronosketch.spark.hopping.HoppingConf.Rewrite
import chronosketch.spark.hopping.HoppingRewrite

/** Tests `Attach` in a session that started without the extension, and its effect on other sessions. */
class AttachSuite extends SparkSuite {
  test("attach adds the functions and their errors to a running session, and may be repeated") {
    val session = BareSession.beside(spark)
    val text = "SELECT approx_quantile(id, 0.07) FROM range(1, 101)"
    intercept[org.apache.spark.sql.AnalysisException](session.sql(text))
    Attach.attach(session)
    Attach.attach(session)
    assertEquals(session.sql(text).head().getLong(0), 7L)
    assertEquals(
      session.sql(
        "SELECT chronosketch_sketch_count(chronosketch_quantile_sketch_agg(id)) FROM range(3)"
      ).head().getLong(0),
      3L
    )
    val e = intercept[RuntimeException](session.sql("SELECT sketch_count(X'CAFE')").collect())
    assertEquals(e.asInstanceOf[org.apache.spark.SparkThrowable].getCondition, "CHRONOSKETCH_NOT_A_SKETCH")
    // the session that it was created from had the functions already
    assertEquals(one(text), 7L)
  }

  test("attach does not replace a function that the session already has under one of our names") {
    val session = BareSession.beside(spark)
    session.udf.register("sketch_count", (_: Int) => 42)
    Attach.attach(session)
    assertEquals(session.sql("SELECT sketch_count(1)").head().getInt(0), 42)
    assertEquals(
      session.sql(
        "SELECT chronosketch_sketch_count(quantile_sketch_agg(id)) FROM range(3)"
      ).head().getLong(0),
      3L
    )
  }

  private val median = "SELECT approx_quantile(id, 0.5) FROM range(1, 101)"

  private def refusedBy(body: => Any): String =
    try {
      val answer = TestLog.expectingFailure(body)
      fail(s"not refused: $answer")
    } catch { case e: SparkThrowable => s"${e.getCondition}: ${e.asInstanceOf[Throwable].getMessage}" }

  private val hopping =
    "SELECT window, count(*) AS n FROM VALUES (TIMESTAMP'2026-01-01') AS t(ts) GROUP BY window(ts, '10 minutes', '5 minutes')"

  private def plan(session: SparkSession, query: String): String =
    session.sql(query).queryExecution.executedPlan.toString

  test("a session that is created from an attached one has the functions and the rules") {
    val session = BareSession.beside(spark)
    Attach.attach(session)
    val later = session.newSession()
    assertEquals(later.sql(median).head().getLong(0), 50L)
    assert(plan(later, median).contains("SketchAggregate"))
    later.sql(s"SET $Rewrite = true")
    assert(plan(later, hopping).contains("SketchHopping"))
    assertEquals(later.sql(hopping).count(), 2L)
    // the rule that rejects misplaced windows is installed, too
    val misplaced = "SELECT within_last('1 hour') FROM range(3)"
    assert(refusedBy(later.sql(misplaced)).startsWith("CHRONOSKETCH_MISPLACED_WINDOW"))
  }

  test("our operators run in an attached session as in one that started with the extension") {
    val session = BareSession.beside(spark)
    Attach.attach(session)
    Seq(
      median -> "SketchAggregate",
      "SELECT approx_quantile(id, 0.5) FROM range(1, 101) GROUP BY ROLLUP(id % 2) ORDER BY 1" -> "SketchGroupingSets",
      "SELECT sketch_versions(history_sketch_agg(id, id)).last FROM range(1, 101)" -> "HistoryAggregate",
      "SELECT approx_quantile(id, 0.5) OVER (ORDER BY id ROWS 9 PRECEDING) FROM range(1, 101)" -> "SketchWindow"
    ).foreach { case (query, operator) =>
      assert(plan(session, query).contains(operator), plan(session, query))
      assertEquals(session.sql(query).collect().toSeq, spark.sql(query).collect().toSeq)
    }
  }

  test("another running session gets nothing until it is attached itself") {
    val first = BareSession.beside(spark)
    val second = first.newSession()
    assertEquals(second.sql("SELECT 1").head().getInt(0), 1)
    Attach.attach(first)
    assert(refusedBy(second.sql(median)).startsWith("UNRESOLVED_ROUTINE"))
    Attach.attach(second)
    assertEquals(second.sql(median).head().getLong(0), 50L)
  }

  test("a session that is created after repeated attaching has each rule once") {
    val session = BareSession.beside(spark)
    Seq.fill(3)(Attach.attach(session))
    val rules = session.newSession().sessionState.planNormalizationRules
    assertEquals(rules.count(_ == HoppingRewrite), 1)
  }

  private val refusal =
    s"CHRONOSKETCH_HOPPING_REWRITE: [CHRONOSKETCH_HOPPING_REWRITE] $Rewrite can't be true in this session. The session was running before " +
      "chronosketch was attached to it, and Spark adds the rule only when a session starts. Set it in spark.newSession(), which " +
      s"has the rule. Or RESET $Rewrite here, and call hopping for such windows. SQLSTATE: 0A000"

  test("SET of the rewrite is refused in a session without the rule, and changes nothing") {
    val session = BareSession.beside(spark)
    Attach.attach(session)
    Seq("true", "TRUE").foreach(on =>
      assert(refusedBy(session.sql(s"SET $Rewrite = $on")).startsWith(refusal))
    )
    assertEquals(session.conf.get(Rewrite), "false")
    session.sql(s"SET $Rewrite = false")
    session.sql(s"RESET $Rewrite")
    assertEquals(session.sql(s"SET $Rewrite").head().getString(1), "false")
    // a session that started with the extension accepts it, attached or not
    val whole = spark.newSession()
    Attach.attach(whole)
    whole.sql(s"SET $Rewrite = true")
    assert(plan(whole, hopping).contains("SketchHopping"))
  }

  test("without the rule, a rewrite set through spark.conf leaves queries to Spark, and EXPLAIN says why") {
    val session = BareSession.beside(spark)
    Attach.attach(session)
    val queries = Seq(
      hopping,
      s"SELECT max(n) FROM ($hopping)",
      s"SELECT (SELECT max(n) FROM ($hopping)) AS m",
      "SELECT host, window.start, count(DISTINCT ts) FROM VALUES ('a', TIMESTAMP'2026-01-01') AS t(host, ts) GROUP BY host, window(ts, '9 seconds', '4 seconds')",
      s"SELECT * FROM ($hopping) WHERE n > 0 ORDER BY window.start LIMIT 1"
    )
    val expected = queries.map(session.sql(_).collect().toSeq.map(_.toString).sorted)
    session.conf.set(Rewrite, "true")
    queries.zip(expected).foreach { case (query, rows) =>
      assertEquals(session.sql(query).collect().toSeq.map(_.toString).sorted, rows, query)
      val explained = session.sql(s"EXPLAIN $query").collect().mkString
      assert(explained.contains("Fallback [chronosketch was attached"), explained)
      assert(explained.contains("spark.newSession() has the rewrite"), explained)
    }
    Seq(
      median,
      "SELECT window, count(*) FROM VALUES (TIMESTAMP'2026-01-01') AS t(ts) GROUP BY window(ts, '10 minutes')",
      "SELECT k, v, count(*) FROM VALUES (1, 2) AS t(k, v) GROUP BY ROLLUP(k, v)",
      "SELECT window.start, n FROM hopping_sketch(TABLE(SELECT TIMESTAMP'2026-01-01' AS ts), event_time => 'ts', size => '10 minutes', slide => '5 minutes', aggs => array('count(*) AS n'))"
    ).foreach { query =>
      assert(session.sql(query).collect().nonEmpty, query)
      assert(!plan(session, query).contains("Fallback"), query)
    }
    session.sql(s"RESET $Rewrite")
    assert(!plan(session, hopping).contains("Fallback"))
    assertEquals(session.sql(hopping).count(), 2L)
  }
}
