package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame

import chronosketch.spark.warehouse.manifest.MemoryLimits
import chronosketch.warehouse.MemoryShares

/** Tests warehouses with a memory limit: their summaries stay within it, and answers within their certified errors. */
class MemoryLimitsSuite extends WarehouseTests {
  private val kappa = 2

  private def rows(n: Int, count: Long, groups: Int): DataFrame = spark.range(0, count, 1, 3).selectExpr(
    s"CAST(pow(abs(hash(id, $n)) % 100000, 1.5) AS BIGINT) AS v",
    s"id % $groups AS k"
  )

  private def created(memory: Long, steps: Long): (String, Warehouse) = {
    val path = folder()
    (path, Warehouse.createWithin(spark, path, "v", Seq("k"), memory, steps, kappa))
  }

  /** The bytes of the summaries of each run and live batch. */
  private def bytesUsed(w: Warehouse): Map[String, Long] = {
    w.register("kept")
    rows("SELECT run, sum(length(sketch) + 200) FROM kept_summaries GROUP BY run").map(r =>
      r.getString(0) -> r.getLong(1)
    ).toMap
  }

  private def shares(w: Warehouse): MemoryShares = w.state.definition.limits match {
    case MemoryLimits(shares) => shares
    case other => fail(other.toString)
  }

  /** The bytes of each run and live batch, and its guaranteed share. */
  private def bytesAndShares(w: Warehouse): Seq[(Long, Long)] = {
    val all = bytesUsed(w)
    val state = w.state
    state.runs.indices.map(i => (all(state.runs(i).id), shares(w).bytesOfRun(i + 1))) ++
      state.live.map(live => (all(live.id), shares(w).bytesOfLive(state.live.size)))
  }

  test("runs stay within their share while they are merged, and use most of it") {
    val memory = 200000L
    val (path, w) = created(memory, steps = 9)
    val steps = (1 to 9).map(rows(_, 20000, 3))
    steps.foreach { step =>
      w.append(step)
      bytesAndShares(w).foreach { case (bytes, share) => assert(bytes <= share, s"$bytes of $share") }
      val (newest, share) = bytesAndShares(w).last
      assert(newest > share / 2, s"$newest of $share")
      assert(bytesUsed(w).values.sum <= memory / 2)
    }
    val expected = truth(steps.reduce(_ union _), Seq("k"), "v")
    check(w.quantile(phis), expected, 1)
    check(w.quantile(phis, isAccurate = false), expected, 1)
    // a quick answer is as precise as such sketches: 12 bytes per tuple, and 200 bytes for each of three groups
    val error = w.quantile(phis, isAccurate = false).agg("rank_error" -> "max").head().getLong(0)
    val bytes = bytesUsed(w)
    val allowed = w.state.runs.map(run => run.rows * 12 / (bytes(run.id) - 3 * 200)).sum
    assert(error <= allowed && allowed < 1000, s"$error ranks of 60000, $allowed allowed")
    check(Warehouse.open(spark, path).quantile(phis), expected, 1)
  }

  test("live batches stay within their share, and answers bound the uncertainty of live rows") {
    val (path, w) = created(100000L, steps = 20)
    val stream = new ManualStream(spark, w, rows(0, 1, 1), stepMillis = None)
    val batches = (1 to 5).map(rows(_, 8000, 5))
    w.append(batches.head)
    batches.tail.zipWithIndex.foreach { case (batch, i) => stream.take(i.toLong, batch) }
    bytesAndShares(w).foreach { case (bytes, share) => assert(bytes <= share, s"$bytes of $share") }
    val expected = truth(batches.reduce(_ union _), Seq("k"), "v")
    // 10 bytes per tuple, up to 4/epsilon tuples, and 200 bytes for each of five groups
    val bytes = bytesUsed(w)
    val doubt = w.state.live.map(live => live.rows * 4 * 10 / (bytes(live.id) - 5 * 200)).sum
    assert(doubt < 400, s"$doubt")
    check(w.quantile(phis), expected, 1, _ => doubt)
    check(w.quantile(phis, isAccurate = false), expected, 1)
    w.endStep()
    check(w.quantile(phis), expected, 1)
    bytesAndShares(w).foreach { case (bytes, share) => assert(bytes <= share, s"$bytes of $share") }
    assert(Warehouse.open(spark, path).state == w.state)
  }

  test("with more live batches each uses less memory, and earlier queries keep their answers") {
    val memory = 40000L
    val (path, w) = created(memory, steps = 20)
    val stream = new ManualStream(spark, w, rows(0, 1, 1), stepMillis = None)
    val batches = (1 to 9).map(rows(_, 20000, 2))
    stream.take(0L, batches.head)
    val alone = w.quantile(phis)
    val (own, share) = bytesAndShares(w).head
    assert(own > share * 2 / 3 && share == memory / 2, s"$own of $share")
    batches.tail.zipWithIndex.foreach { case (batch, i) =>
      stream.take(i + 1L, batch)
      bytesAndShares(w).foreach { case (bytes, share) => assert(bytes <= share, s"$bytes of $share") }
    }
    val expected = truth(batches.reduce(_ union _), Seq("k"), "v")
    check(w.quantile(phis), expected, 1, _ => 1500)
    check(alone, truth(batches.head, Seq("k"), "v"), 1, _ => 40)
    // there are files of sketches that no version refers to any more
    val before = summaryFiles(path)
    assert(w.vacuum(-60000).nonEmpty)
    assertEquals(summaryFiles(path), w.state.entries.size)
    assert(before > w.state.entries.size, s"$before")
    check(w.quantile(phis, isAccurate = false), expected, 1)
    check(Warehouse.open(spark, path).quantile(phis), expected, 1, _ => 1500)
  }

  private def summaryFiles(path: String): Int =
    Files.walk(Path.of(path, "runs")).iterator().asScala.count(f =>
      f.getParent.endsWith("_summary") && f.toString.endsWith(".parquet")
    )

  test("too many groups for the memory get the coarsest summaries, and answers are within their errors") {
    val (_, w) = created(50000L, steps = 4)
    val steps = (1 to 3).map(rows(_, 6000, 500))
    steps.foreach(w.append(_))
    val stream = new ManualStream(spark, w, rows(0, 1, 1), stepMillis = None)
    stream.take(0L, rows(4, 6000, 500))
    bytesAndShares(w).foreach { case (bytes, share) =>
      assert(bytes > share && bytes < 500 * 320, s"$bytes of $share")
    }
    val expected = truth((steps :+ rows(4, 6000, 500)).reduce(_ union _), Seq("k"), "v")
    check(w.quantile(phis), expected, 1, _ => 12)
    check(w.quantile(phis, isAccurate = false), expected, 1)
  }

  test("few rows are kept exactly, and an append without rows is allowed") {
    val (_, w) = created(100000L, steps = 20)
    w.append(rows(1, 0, 1))
    w.append(rows(1, 40, 2))
    check(w.quantile(phis, isAccurate = false), truth(rows(1, 40, 2), Seq("k"), "v"), 1)
    assertEquals(w.quantile(phis, isAccurate = false).agg("rank_error" -> "max").head().getLong(0), 0L)
  }

  test("CALL accepts memory with a unit, describe explains it, and invalid values are refused") {
    withConf("spark.sql.catalog.chronosketch" -> "chronosketch.spark.warehouse.call.WarehouseCatalog") {
      val path = folder()
      def create(arguments: String) = sql(s"CALL chronosketch.create('$path', 'v', $arguments)").collect()
      assert(message(create("memory => '1k'")).contains("1024 bytes"))
      assertEquals(condition(create("memory => '1k'")), "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE")
      assertEquals(condition(create("memory => '1m', steps => 0")), "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE")
      assertEquals(condition(create("memory => 'much'")), "CHRONOSKETCH_WAREHOUSE_ARGUMENT")
      assert(message(create("memory => '1m', epsilon => 0.1")).contains("memory decides"))
      create("memory => '1m', steps => 100, kappa => 3")
      val described = sql(s"CALL chronosketch.describe('$path')").head()
      assertEquals(described.getAs[Long]("memory"), 1L << 20)
      assert(described.isNullAt(described.fieldIndex("epsilon")))
      assertEquals(
        described.getAs[String]("memory_plan"),
        "half for runs and half for live batches; 100 steps with kappa 3 make at most 10 runs at once; " +
          "the oldest run gets 179000 bytes for its summaries, and the n-th run an n-th of that; " +
          "live batches get equal shares"
      )
      // the same limit again, and another one
      create("memory => '1024k', steps => 100, kappa => 3, if_not_exists => true")
      assertEquals(
        condition(create("memory => '2m', if_not_exists => true")),
        "CHRONOSKETCH_WAREHOUSE_EXISTS"
      )
    }
  }
}
