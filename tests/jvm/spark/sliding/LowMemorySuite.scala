package chronosketch.spark.sliding

import scala.concurrent.duration._

import chronosketch.Cases
import chronosketch.spark.aggregate.operator.ScarceMemory

/** Tests that rows are spilled if Spark has no memory left, and that the answers stay right. */
class LowMemorySuite extends SlidingSuite {
  private def withScarceMemory[A](left: Long)(body: => A): A = {
    val taken = new ScarceMemory(left)
    try body
    finally taken.close()
  }

  /** The answers with so little memory that rows are spilled. Fails if no row was spilled, because the case would test nothing. */
  private def spilled(left: Long)(query: String): SlidingAnswers = {
    val answers = withScarceMemory(left)(inOurs(sql(query)))
    assert(
      answers.metric("spillSize") > 0,
      s"nothing went to disk: $query\n${answers.operators.map(_.metrics.map { case (k, v) =>
          s"$k ${v.value}"
        })}"
    )
    answers
  }

  private val little = 2L << 20

  private def view(): Unit = spark.range(0, 30000, 1, 2).selectExpr(
    "id",
    "pmod(hash(id, 1), 5) AS k",
    "IF(pmod(hash(id, 2), 9) = 0, NULL, pmod(hash(id, 3), 5000)) AS v",
    "IF(pmod(hash(id, 6), 10) = 0, NULL, pmod(hash(id, 7), 3000)) AS t",
    "repeat('x', int(id % 100)) AS text"
  ).createOrReplaceTempView("scarce")

  private val overK = "PARTITION BY k ORDER BY id"
  private val last = s"OVER ($overK ROWS BETWEEN 20 PRECEDING AND CURRENT ROW)"
  private val q = s"approx_quantile(v, 0.5) $last AS q"

  private val queries = Seq(
    "one answer" -> s"SELECT *, $q FROM scarce",
    "answers that do not fit the row" ->
      s"SELECT *, approx_quantile(v, array(0.2, 0.9)) $last AS qs FROM scarce",
    "peers" ->
      "SELECT *, approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY t DESC RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS q FROM scarce",
    "several columns" ->
      "SELECT *, approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY t, id ROWS BETWEEN 2 PRECEDING AND 10 FOLLOWING) AS q FROM scarce",
    "one group" -> s"SELECT *, approx_quantile(v, 0.5) OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS q FROM scarce",
    "Spark's own function above" -> s"SELECT *, $q, row_number() OVER ($overK) AS n FROM scarce",
    "a sort above" -> s"SELECT *, $q FROM scarce SORT BY text, id",
    "an aggregation above" -> s"SELECT text, k, max(q), count(*) FROM (SELECT *, $q FROM scarce) GROUP BY text, k",
    "twice" ->
      s"SELECT *, approx_quantile(q, 0.5) $last AS qq, approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY t, id ROWS 3 PRECEDING) AS r FROM (SELECT *, $q FROM scarce)",
    "sketches" -> s"SELECT *, quantile_sketch_agg(v) $last AS s FROM scarce WHERE id < 20000",
    "unions" ->
      s"SELECT *, sketch_merge_agg(s) $last AS m FROM (SELECT *, IF(v IS NULL, NULL, (SELECT quantile_sketch_agg(id) FROM range(20))) AS s FROM scarce WHERE id < 20000)",
    "tiny groups" -> "SELECT *, approx_quantile(v, 0.5) OVER (PARTITION BY id ORDER BY v) AS q FROM scarce",
    "joined" ->
      s"SELECT /*+ MERGE(b) */ a.*, b.n FROM (SELECT *, $q FROM scarce) a JOIN (SELECT k, count(*) AS n FROM scarce GROUP BY k) b ON a.k = b.k"
  )

  for ((name, query) <- Cases.some(7, queries))
    test(s"rows are spilled: $name") {
      view()
      withConf("spark.sql.shuffle.partitions" -> "1", "spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        val plenty = inOurs(sql(query))
        assertEquals((plenty.metric("handOvers"), plenty.metric("spillSize")), (0L, 0L))
        assertEqual(spilled(little)(query), plenty, query)
      }
    }

  test("the order of ties does not depend on the memory") {
    view()
    val query =
      "SELECT id, approx_quantile(id, 0.5) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS q FROM scarce"
    withConf("spark.sql.shuffle.partitions" -> "1", "spark.sql.files.maxPartitionBytes" -> "1g") {
      val ordered = query.replace("FROM scarce", "FROM (SELECT * FROM scarce ORDER BY v, id)")
      assertEqual(spilled(little)(ordered), inOurs(sql(ordered)), ordered)
    }
  }

  // rows are collected in 256 lanes
  for (partitions <- Cases.some(2, Seq(1, 256, 257, 900)))
    test(s"rows with equal keys keep their order: $partitions groups, one of them with half of the rows") {
      spark.range(0, 40000, 1, 1).selectExpr(
        "id",
        s"IF(pmod(hash(id, 1), 2) = 0, 0, pmod(hash(id, 2), $partitions)) AS k",
        "pmod(hash(id, 3), 7) AS t",
        "repeat('x', int(id % 100)) AS text"
      ).createOrReplaceTempView("lanes")
      withConf("spark.sql.shuffle.partitions" -> "1") {
        def query(order: String) =
          s"SELECT *, approx_quantile(id, 0.5) OVER (PARTITION BY k ORDER BY $order ROWS 3 PRECEDING) AS q FROM lanes"
        val asTheyCame = inSparks(sql(query("t, id")))
        assertEqual(inOurs(sql(query("t"))), asTheyCame, "in memory")
        assertEqual(spilled(little)(query("t")), asTheyCame, "by disk")
      }
    }

  test(
    "a frame too large for memory gives an error; if it may be certified, the answer is as with memory"
  ) {
    spark.range(0, 600000, 1, 2).selectExpr(
      "id",
      "pmod(hash(id), 1000) AS v"
    ).createOrReplaceTempView("large")
    val frame = "OVER (ORDER BY id ROWS BETWEEN 300000 PRECEDING AND CURRENT ROW)"
    withConf("spark.sql.shuffle.partitions" -> "1", SlidingConf.Accelerate -> "all") {
      for (function <- Seq("percentile(v, 0.5)", "mode(v)", "approx_quantile(v, 0.5, 0)")) {
        val query = s"SELECT max(q) FROM (SELECT $function $frame AS q FROM large)"
        val e = withScarceMemory(3L << 20)(refusal(query))
        assertEquals((e.getCondition, e.getSqlState), ("CHRONOSKETCH_FRAME_TOO_LARGE", "53200"), function)
      }
      withConf(SlidingConf.ExactFrameRows -> "20000") {
        val query =
          s"SELECT max(q), min(q), sum(q * (id % 1009)) FROM (SELECT id, approx_quantile(v, 0.3, 0.02) $frame AS q FROM large)"
        val plenty = inOurs(sql(query))
        assert(plenty.metric("certifiedRows") > 0)
        assertEqual(spilled(6L << 20)(query), plenty, query)
      }
    }
  }

  test("memory is released when a query ends, fails, or is not read to its end") {
    view()
    withConf("spark.sql.shuffle.partitions" -> "1") {
      spilled(little)(s"SELECT *, $q FROM scarce")
      inOurs(sql(s"SELECT * FROM (SELECT *, $q FROM scarce) LIMIT 3"))
      spilled(little)(s"SELECT * FROM (SELECT *, $q FROM scarce) LIMIT 3")
      refusal(s"SELECT *, $q, 1 / (id - 25000) FROM (SELECT id, k, v + 0 div (id - 25000) AS v FROM scarce)")
    }
    // a failed query does not wait for all of its tasks: give them time to end
    val patience = System.nanoTime() + 20.seconds.toNanos
    while (ScarceMemory.executing > 0 && System.nanoTime() < patience) Thread.onSpinWait()
    assertEquals(ScarceMemory.executing, 0L)
  }
}
