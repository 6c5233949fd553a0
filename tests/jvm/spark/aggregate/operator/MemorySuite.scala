package chronosketch.spark.aggregate.operator

import scala.collection.mutable
import scala.concurrent.duration._

import chronosketch.Cases
import chronosketch.spark.aggregate.AggregateConf

/** Tests aggregations if Spark has no memory left: partial ones flush groups early, final ones spill, and the answers stay right. */
class MemorySuite extends OperatorSuite {
  private val groups = 22000
  private val left = 2L << 20 // bytes for all tasks

  private def withScarceMemory[A](body: => A): A = {
    val taken = new ScarceMemory(left)
    try body
    finally taken.close()
  }

  private def metric(answers: Answers, isFinal: Boolean, name: String): Long =
    answers.operators.filter(_.isFinal == isFinal).map(_.metrics(name).value).sum

  private def view(): Unit = spark.range(0, 4L * groups, 1, 2).selectExpr(
    "id",
    s"id % $groups AS k",
    s"concat('key ', id % $groups) AS s",
    "IF(id % 3 = 0, NULL, pmod(id * 7919, 499)) AS v",
    "CAST(id AS DECIMAL(20,2)) AS d",
    s"IF(id % $groups % 5 = 0, NULL, CAST(id % $groups % 90 AS DECIMAL(10,2))) AS w",
    s"date_add(DATE'1969-12-30', int(id % $groups % 400)) AS y"
  ).createOrReplaceTempView("large")

  private val ways = Seq(
    "compiled" -> Nil,
    "not compiled" -> OperatorSuite.notCompiled
  )
  private val compiledFirst = ways.take(Cases.times)

  private val keys =
    Seq("a number" -> "k", "a text" -> "s", "two columns" -> "k, s", "three numbers" -> "w, k, y")
  private val ours =
    "quantile_sketch_agg(v) AS q, quantile_sketch_agg(v, tail => 'high') AS h, approx_quantile(v, 0.5) AS m, sketch_merge_agg(IF(id < 9, NULL, NULL)) AS u"
  private val besides =
    s"$ours, count(*) AS n, sum(v) AS t, sum(d) AS td, max(id) AS most, avg(d) AS mean, min(d) AS least"

  private val truths = mutable.Map.empty[String, Answers]

  /** Spark's answers, computed once: they do not depend on code generation or on the partitions. */
  private def truth(query: String): Answers = truths.getOrElseUpdate(query, inSparks(sql(query)))

  private def check(query: String)(checkMetrics: Answers => Unit): Unit =
    check(query, truth(query))(checkMetrics)

  // one task for the final aggregation, so that it has all groups
  private def check(query: String, sparks: Answers)(checkMetrics: Answers => Unit): Unit =
    withConf("spark.sql.shuffle.partitions" -> "1") {
      val scarce = withScarceMemory(inOurs(sql(query)))
      assertEqual(scarce, sparks, query)
      checkMetrics(scarce)
    }

  private def metricsText(answers: Answers): String =
    answers.operators.map(_.metrics.map { case (k, v) => s"$k ${v.value}" }.mkString(", ")).mkString("\n")

  private def assertFlushed(answers: Answers): Unit =
    assert(
      metric(answers, isFinal = false, "partialFlushes") > 0,
      s"nothing was flushed early: ${metricsText(answers)}"
    )

  private def assertSpilled(answers: Answers): Unit =
    assert(metric(answers, isFinal = true, "spillSize") > 0, s"nothing was spilled: ${metricsText(answers)}")

  for (((name, by), (way, conf)) <- Cases.inTurns(keys, ways))
    test(s"groups by $name are flushed early and spilled: $way") {
      view()
      withConf(conf: _*)(check(s"SELECT $by, $besides FROM large GROUP BY $by") { answers =>
        assertFlushed(answers)
        assertSpilled(answers)
      })
    }

  test("long texts whose rows wait in a batch are flushed early") {
    spark.range(0, 40000, 1, 1).selectExpr("id", "concat(id div 2, repeat('x', 2000)) AS s")
      .createOrReplaceTempView("texts")
    for (by <- Seq("s", "id % 2, s"))
      check(s"SELECT crc32(s), quantile_sketch_agg(id) AS q FROM texts GROUP BY $by") { answers =>
        assertFlushed(answers)
        val peak = metric(answers, isFinal = false, "peakMemory")
        assert(peak < (8L << 20), s"$peak bytes were held by $by")
      }
  }

  for ((way, conf) <- compiledFirst)
    test(s"with enough memory nothing is flushed or spilled: $way") {
      view()
      withConf(conf: _*) {
        val answers = inOurs(sql(s"SELECT k, $besides FROM large GROUP BY k"))
        assertEquals(metric(answers, isFinal = false, "partialFlushes"), 0L)
        assertEquals(metric(answers, isFinal = true, "spillSize"), 0L)
      }
    }

  // children that produce rows while groups are being flushed
  private val below = Seq(
    "explode" ->
      s"(SELECT id, k, x AS v FROM (SELECT id, k FROM large WHERE id < $groups) LATERAL VIEW explode(array(id, id + 1, NULL)) AS x)",
    "a broadcast join, many to many" ->
      s"(SELECT /*+ BROADCAST(r) */ l.id, l.k, r.x AS v FROM large l JOIN (SELECT id % 8 AS m, id AS x FROM range(24)) r ON l.k % 8 = r.m WHERE l.id < $groups)",
    "a sort-merge join, many to many" ->
      s"(SELECT /*+ MERGE(r) */ l.id, l.k, r.v FROM (SELECT * FROM large WHERE id < 2 * $groups) l JOIN (SELECT k, v FROM large WHERE id >= 2 * $groups) r ON l.k = r.k)",
    "a nested loop" ->
      s"(SELECT /*+ BROADCAST(r) */ l.id, l.k, r.x AS v FROM (SELECT * FROM large WHERE id < $groups) l JOIN (SELECT id AS x FROM range(3)) r ON l.id >= r.x)",
    "expand" -> "",
    "a union" ->
      s"(SELECT id, k, v FROM large UNION ALL SELECT id, k + $groups, v FROM large WHERE id < $groups)",
    "an aggregation" ->
      s"(SELECT k AS id, k, max(v) AS v FROM large GROUP BY k)",
    "a sort" -> "(SELECT id, k, v FROM large DISTRIBUTE BY id % 2 SORT BY v, id)"
  )

  // without compilation, Spark's own operator does not have the memory for two sorts in one task either
  private val notCompiledToo = Set("explode", "a union")

  for (
    (name, from) <- Cases.some(4, below);
    (way, conf) <- if (notCompiledToo(name)) compiledFirst else ways.take(1)
  )
    test(s"groups are flushed early above $name: $way") {
      view()
      val query =
        if (name == "expand")
          "SELECT k, id % 2 AS o, quantile_sketch_agg(v) AS q, count(*) AS n FROM large GROUP BY ROLLUP(k, id % 2)"
        else s"SELECT k, quantile_sketch_agg(v) AS q, count(*) AS n, sum(v) AS t FROM $from GROUP BY k"
      val asSpark =
        Seq("spark.sql.autoBroadcastJoinThreshold" -> "-1", AggregateConf.GroupingSets -> "false")
      withConf(conf ++ asSpark: _*)(check(query)(assertFlushed))
    }

  for (((name, by), (way, conf)) <- Cases.inTurns(keys, ways) if conf.isEmpty || name == "a text")
    test(s"without an exchange between the two aggregations, by $name: $way") {
      view()
      val query = s"SELECT $by, $besides FROM (SELECT /*+ REPARTITION(1, $by) */ * FROM large) GROUP BY $by"
      val sparks = truth(s"SELECT $by, $besides FROM large GROUP BY $by")
      withConf(conf: _*)(check(query, sparks) { answers =>
        assertFlushed(answers)
        assertSpilled(answers)
        assertEquals(answers.operators.count(_.isFinal), 1)
      })
    }

  for ((way, conf) <- compiledFirst)
    test(s"operators above a spilled aggregation get every group: $way") {
      view()
      val each = "SELECT k, approx_quantile(v, 1) AS q, count(*) AS n FROM large GROUP BY k"
      withConf(conf: _*) {
        check(s"SELECT n, count(*), sum(q), min(k), max(k) FROM ($each) GROUP BY n")(assertFlushed)
        check(s"SELECT a.k, a.q, b.n FROM ($each) a JOIN ($each) b ON a.k = b.k AND a.q = b.q")(assertFlushed)
        // these sort in the same task as the aggregation that produces their input
        check(s"SELECT *, row_number() OVER (PARTITION BY k ORDER BY q) AS r FROM ($each)")(assertFlushed)
        check(s"SELECT k, x FROM ($each) LATERAL VIEW explode(array(q, n)) AS x")(assertFlushed)
        assertEquals(withScarceMemory(inOurs(sql(s"SELECT * FROM ($each) LIMIT 10"))).rows.size, 10)
      }
    }

  for ((way, conf) <- compiledFirst)
    test(s"a sorting shuffle gets the memory of the groups that it receives: $way") {
      view()
      // more partitions than a shuffle without sorting may have
      val query = s"SELECT k, $besides FROM large GROUP BY k"
      withConf(conf: _*) {
        withConf("spark.sql.shuffle.partitions" -> "201") {
          val scarce = withScarceMemory(inOurs(sql(query)))
          assertEqual(scarce, truth(query), query)
          assertFlushed(scarce)
        }
      }
    }

  for ((way, conf) <- compiledFirst)
    test(s"keys of many types are read back from disk: $way") {
      view()
      val kinds = Seq(
        "IF(k = 7, NULL, k)",
        "IF(k = 7, double('NaN'), IF(k = 8, double(-0.0), k / 4))",
        "named_struct('a', IF(k = 7, NULL, k), 'b', array(s, NULL))"
      )
      withConf(conf: _*)(kinds.foreach { key =>
        check(
          s"SELECT k, $besides FROM (SELECT id, v, d, $key AS k FROM large WHERE id < $groups) GROUP BY k"
        )(assertSpilled)
      })
    }

  test("memory is released when a query ends, fails, or is not read to its end") {
    view()
    val each = s"SELECT k, $besides FROM large GROUP BY k"
    val failing =
      s"SELECT approx_quantile(id, 0.5, frequency => IF(id < 4 * $groups - 1, 1, -1)), count(*) FROM large GROUP BY k"
    withConf("spark.sql.shuffle.partitions" -> "1") {
      withScarceMemory(inOurs(sql(each)))
      withScarceMemory(inOurs(sql(s"SELECT * FROM ($each) LIMIT 3")))
      withScarceMemory(assertEquals(refusal(failing).getCondition, "CHRONOSKETCH_INVALID_FREQUENCY"))
    }
    // a failed query does not wait for all of its tasks: give them time to end
    val patience = System.nanoTime() + 20.seconds.toNanos
    while (ScarceMemory.executing > 0 && System.nanoTime() < patience) Thread.onSpinWait()
    assertEquals(ScarceMemory.executing, 0L)
  }
}
