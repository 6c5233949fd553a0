package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}

import org.apache.spark.sql.DataFrame

import chronosketch.Refusal

/** Tests that each row of a stream is counted once, whatever stops, is repeated or happens concurrently. */
class LiveCommitsSuite extends WarehouseTests {
  private def rows(from: Long, until: Long): DataFrame = spark.range(from, until).selectExpr("id AS v")

  private def created(kappa: Int = 10): (String, Warehouse) = {
    val path = folder()
    (path, Warehouse.create(spark, path, "v", epsilon = 0.05, kappa = kappa))
  }

  private def stream(w: Warehouse, query: String = "query"): ManualStream =
    new ManualStream(spark, w, rows(0, 1), query)

  /** Checks that the warehouse has exactly these rows. They are so few that the sketches are exact. */
  private def assertRows(w: Warehouse, from: Long, until: Long): Unit =
    check(w.quantile(phis), Map(Nil -> (from until until)), 0)

  private def folders(path: String): Long = Files.list(Path.of(path, "runs")).count()

  private def stopped(body: => Any): Unit = { intercept[IllegalStateException](body); () }

  test("a repeated batch is added once, and each stream has its own batch numbers") {
    val (path, w) = created()
    stream(w).take(3, rows(0, 20))
    // like a restart from the checkpoint
    val again = stream(Warehouse.open(spark, path))
    again.take(3, rows(0, 20))
    assertRows(w, 0, 20)
    assertEquals(folders(path), 1L)
    stream(w, "another").take(3, rows(20, 40))
    again.take(4, rows(40, 50))
    assertRows(w, 0, 50)
    // a repeated batch is ignored after the end of its step, too
    w.endStep()
    again.take(4, rows(40, 50))
    assertRows(w, 0, 50)
  }

  test("a batch from a checkpoint older than the warehouse is an error, and leaves no files") {
    val (path, w) = created()
    stream(w).take(3, rows(0, 20))
    Seq(2L, 0L).foreach { batch =>
      val refusal = intercept[Refusal](stream(w).take(batch, rows(20, 40)))
      assertEquals(refusal.condition, "CHRONOSKETCH_WAREHOUSE_STREAM_PASSED")
      assertEquals(refusal.parameters, Map("writer" -> "query", "batch" -> s"$batch", "last" -> "3"))
    }
    assertRows(w, 0, 20)
    assertEquals(folders(path), 1L)
  }

  test("a stream that stops before its commit has added nothing, and one that stops after it has added all") {
    Seq(false, true).foreach { after =>
      val (path, w) = created()
      stream(w).take(0, rows(0, 20))
      stopped(stream(over(path, new StoppingStore(log(path), after))).take(1, rows(20, 40)))
      assertRows(w, 0, if (after) 40 else 20)
      stream(w).take(1, rows(20, 40))
      assertRows(w, 0, 40)
      assertEquals(w.vacuum(3600000), Nil)
      assertEquals(w.vacuum(-60000).size, if (after) 0 else 1)
      assertEquals(folders(path), 2L)
      assertRows(w, 0, 40)
    }
  }

  test("if ending a step stops, either its live batches or the run remain") {
    Seq(false, true).foreach { after =>
      val (path, w) = created()
      stream(w).take(0, rows(0, 20))
      stream(w).take(1, rows(20, 40))
      stopped(over(path, new StoppingStore(log(path), after)).endStep())
      assertRows(w, 0, 40)
      assertEquals((w.state.live.size, w.state.runs.size), if (after) (0, 1) else (2, 0))
      // before vacuum, a repeated batch is ignored, and a new one is added
      stream(w).take(1, rows(20, 40))
      stream(w).take(2, rows(40, 60))
      assertRows(w, 0, 60)
      w.endStep()
      w.vacuum(-60000)
      assertEquals(folders(path), if (after) 2L else 1L)
      assertRows(w, 0, 60)
    }
  }

  test("a stream that stops while its step ends or batches are merged loses and repeats no rows") {
    Seq(false, true).foreach { after =>
      val (path, w) = created(kappa = 1)
      stream(w).take(0, rows(0, 20))
      // its second commit merges the two batches
      stopped(stream(over(path, new StoppingAtMerge(log(path), after))).take(1, rows(20, 40)))
      assertEquals(w.state.live.map(_.level), if (after) IndexedSeq(1) else IndexedSeq(0, 0))
      assertRows(w, 0, 40)
      stream(w).take(1, rows(20, 40))
      assertRows(w, 0, 40)
      val now = new Clock
      val timed = new ManualStream(spark, over(path, log(path), now), rows(0, 1), stepMillis = Some(1000L))
      timed.take(2, rows(40, 60))
      assertEquals(w.state.open.flatMap(_.until), Some(1000L))
      now.millis = 1000
      val stopping = over(path, new StoppingStore(log(path), after), now)
      stopped(new ManualStream(spark, stopping, rows(0, 1), stepMillis = Some(1000L)).take(3, rows(60, 80)))
      assertRows(w, 0, 60)
      timed.take(3, rows(60, 80))
      assertEquals((w.state.runs.map(_.rows), w.state.live.map(_.rows)), (IndexedSeq(60L), IndexedSeq(20L)))
      assertRows(w, 0, 80)
    }
  }

  test("while a step ends, another process may end it, merge batches, or add a batch") {
    val (path, w) = created(kappa = 2)
    def overtakenBy(happens: => Any): Warehouse =
      over(path, new OvertakenStore(log(path), () => { happens; () }))
    stream(w).take(0, rows(0, 20))
    assertEquals(overtakenBy(w.endStep()).endStep(), None)
    assertEquals(w.state.runs.map(_.rows), IndexedSeq(20L))
    assertRows(w, 0, 20)
    // three batches that a stopped stream has not merged
    (1 to 2).foreach(i => stream(w).take(i.toLong, rows(i * 20L, i * 20L + 20)))
    stopped(stream(over(path, new StoppingAtMerge(log(path), after = false))).take(3, rows(60, 70)))
    assertEquals(w.state.live.size, 3)
    assertEquals(overtakenBy(w.compact()).endStep().map(_.rows), Some(50L))
    assertRows(w, 0, 70)
    stream(w).take(4, rows(70, 80))
    assertEquals(overtakenBy(stream(w).take(5, rows(80, 90))).endStep().map(_.rows), Some(10L))
    assertEquals(w.state.live.map(_.rows), IndexedSeq(10L))
    assertRows(w, 0, 90)
  }

  test("the live files of an older version stay readable until the grace period ends") {
    val (path, w) = created()
    stream(w).take(0, spark.range(2000).selectExpr("id AS v"))
    val before = w.quantile(phis)
    w.endStep()
    assertEquals(w.vacuum(3600000), Nil)
    check(before, truth(rows(0, 2000), Nil, "v"), 0, _ => 25)
    assertEquals(w.vacuum(-60000).size, 1)
    check(w.quantile(phis), truth(rows(0, 2000), Nil, "v"), 0)
    assertEquals(folders(path), 1L)
  }

  test("concurrent streams, appends and ends of steps: each row is added once") {
    val (path, w) = created(kappa = 2)
    def streaming(query: String, from: Long)(): Unit = {
      val own = stream(Warehouse.open(spark, path), query)
      (0 until 5).foreach(i => own.take(i.toLong, rows(from + i * 10, from + i * 10 + 10)))
    }
    atOnce(Seq(
      streaming("one", 0) _,
      streaming("two", 50) _,
      () => (1 to 4).foreach { _ => Warehouse.open(spark, path).endStep(); Thread.sleep(100) },
      () => { Warehouse.open(spark, path).append(rows(100, 120)); () }
    ))
    w.endStep()
    assertRows(w, 0, 120)
    assertEquals(w.state.live, IndexedSeq.empty)
    w.vacuum(-60000)
    assertRows(w, 0, 120)
  }

  test("a stream refuses a warehouse that was recreated, and a column of another type") {
    val (path, w) = created()
    val old = stream(w)
    old.take(0, rows(0, 20))
    files(path).foreach(Files.delete(_))
    Warehouse.create(spark, path, "v")
    val refused = intercept[chronosketch.Refusal](old.take(1, rows(20, 40)))
    assertEquals(refused.condition, "CHRONOSKETCH_WAREHOUSE_DAMAGED")
    w.append(rows(0, 20))
    val ints = intercept[chronosketch.Refusal](new ManualStream(spark, w, sql("SELECT 1 AS v")))
    assertEquals(ints.condition, "CHRONOSKETCH_WAREHOUSE_COLUMN")
  }

  test("retain drops whole old runs in one commit, and step numbers continue") {
    val (path, w) = created(kappa = 2)
    (0 until 4).foreach(i => w.append(rows(i * 10L, i * 10L + 10)))
    // three of the steps were merged into one run
    stream(w).take(0, rows(40, 50))
    assertEquals(w.retain(2), 0L)
    assertRows(w, 0, 50)
    stopped(over(path, new StoppingStore(log(path), after = false)).retain(1))
    assertRows(w, 0, 50)
    val overtaken = over(path, new OvertakenStore(log(path), () => stream(w).take(1, rows(50, 60))))
    assertEquals(overtaken.retain(1), 30L)
    assertRows(w, 30, 60)
    assertEquals(w.vacuum(-60000).size, 4)
    assertRows(w, 30, 60)
    assertEquals(w.endStep().map(_.step), Some(5L))
    assertEquals(condition(w.retain(0)), "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE")
  }
}
