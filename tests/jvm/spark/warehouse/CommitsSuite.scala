package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.TaskContext
import org.apache.spark.sql.DataFrame

import chronosketch.rank.Phi
import chronosketch.spark.TestLog
import chronosketch.spark.cancel.KilledTask

/** Tests that each row is counted once, with concurrent writers and merges, with processes that stop, and with damaged files. */
class CommitsSuite extends WarehouseTests {
  private def rows(from: Long, until: Long): DataFrame = spark.range(from, until).selectExpr("id AS v")

  private def created(kappa: Int = 10): (String, Warehouse) = {
    val path = folder()
    (path, Warehouse.create(spark, path, "v", epsilon = 0.05, kappa = kappa))
  }

  private def assertRows(w: Warehouse, from: Long, until: Long): Unit =
    check(w.quantile(phis), truth(rows(from, until), Nil, "v"), 0)

  test("concurrent writers: each row is added once, and each append has a step of its own") {
    val (path, _) = created(kappa = 2)
    val steps = atOnce((0 until 6).map(i =>
      () => Warehouse.open(spark, path).append(rows(i * 100L, i * 100L + 100)).step
    ))
    assertEquals(steps.toSet, (1L to 6L).toSet)
    val w = Warehouse.open(spark, path)
    assertRows(w, 0, 600)
    assertEquals(w.state.runs.map(_.steps).sum, 6L)
  }

  test("an append whose tasks are killed once has each row once, and leaves no file of a killed task") {
    def appended(rows: DataFrame): (Warehouse, Int) = {
      val (path, w) = created()
      TestLog.expectingFailure(w.append(rows))
      (w, files(path).size)
    }
    spark.udf.register("kill_once", (id: Long) => CommitsSuite.killOnce(id))
    val (killed, left) = appended(rows(0, 20000).selectExpr("kill_once(v) AS v"))
    assert(CommitsSuite.kills.get > 0, "no task was killed")
    assertEquals(left, appended(rows(0, 20000))._2)
    assertRows(killed, 0, 20000)
  }

  test("a repeated step is refused, and a repeated batch is ignored") {
    val (path, w) = created()
    w.append(rows(0, 100), step = Some(5))
    Seq(5L, 4L, -1L).foreach { step =>
      assertEquals(condition(w.append(rows(0, 100), step = Some(step))), "CHRONOSKETCH_STEP_TAKEN")
    }
    assert(message(w.append(rows(0, 100), step = Some(3))).contains("has steps up to 5"))
    assertEquals(w.append(rows(100, 200), batch = Some("loader" -> 7L)).step, 6L)
    val again = w.append(rows(100, 200), step = Some(6), batch = Some("loader" -> 7L))
    assertEquals((again.isNew, again.step, again.rows), (false, 6L, 0L))
    assert(w.append(rows(200, 250), batch = Some("loader" -> 8L)).isNew)
    assert(w.append(rows(250, 300), batch = Some("other" -> 1L)).isNew)
    assertRows(w, 0, 300)
    assertEquals(Files.list(Path.of(path, "runs")).count(), 4L)
  }

  test("a batch below its writer's last one is an error, committed or not, and leaves no files") {
    val (path, w) = created()
    Seq(1L, 5L).foreach(n => w.append(rows(n, n + 1), batch = Some("loader" -> n)))
    Seq(4L, 1L, -1L, Long.MinValue).foreach { batch =>
      def again = w.append(rows(100, 200), batch = Some("loader" -> batch))
      assertEquals(condition(again), "CHRONOSKETCH_WAREHOUSE_BATCH_PASSED")
      Seq(s"batch $batch of the writer 'loader'", s"$path is 5", "above 5").foreach(words =>
        assert(message(again).contains(words), message(again))
      )
    }
    assertEquals(w.state.rows, 2L)
    assertEquals(Files.list(Path.of(path, "runs")).count(), 2L)
    assert(w.append(rows(100, 200), batch = Some("another" -> 4L)).isNew)
    // another append of the same writer commits between this one's check and commit
    val overtaken = over(
      path,
      new OvertakenStore(log(path), () => { w.append(rows(6, 7), batch = Some("loader" -> 9L)); () })
    )
    assertEquals(
      condition(overtaken.append(rows(200, 300), batch = Some("loader" -> 8L))),
      "CHRONOSKETCH_WAREHOUSE_BATCH_PASSED"
    )
    assertEquals(w.state.rows, 103L)
    assertEquals(Files.list(Path.of(path, "runs")).count(), w.state.runs.size.toLong)
  }

  test("a writer that stops before its commit has added nothing, and vacuum deletes its files") {
    val (path, w) = created()
    w.append(rows(0, 100))
    intercept[IllegalStateException](over(
      path,
      new StoppingStore(log(path), after = false)
    ).append(rows(100, 200)))
    assertRows(w, 0, 100)
    assertEquals(w.vacuum(3600000), Nil)
    assertEquals(w.vacuum(-60000).size, 1)
    assertEquals(Files.list(Path.of(path, "runs")).count(), 1L)
    assertRows(w, 0, 100)
  }

  test("files that a failed task left in a run's folder are deleted when they are old enough") {
    val (path, w) = created()
    w.append(rows(0, 100))
    val folder = Path.of(path, "runs", w.state.runs.head.id)
    val left = Seq(folder, folder.resolve("_summary")).map(_.resolve("part-00000-left.zstd.parquet"))
    left.foreach(Files.write(_, Array[Byte](1, 2, 3)))
    assertEquals(w.vacuum(3600000), Nil)
    assertEquals(w.vacuum(-60000).size, 2)
    assert(!left.exists(Files.exists(_)))
    assertRows(w, 0, 100)
    assertEquals(w.vacuum(-60000), Nil)
  }

  test("a writer that stops after its commit has added all rows, and repeating it adds none") {
    val (path, w) = created()
    val stopping = over(path, new StoppingStore(log(path), after = true))
    intercept[IllegalStateException](stopping.append(rows(0, 100), batch = Some("loader" -> 1L)))
    assertRows(w, 0, 100)
    assert(!w.append(rows(0, 100), batch = Some("loader" -> 1L)).isNew)
    assertRows(w, 0, 100)
    assertEquals(w.vacuum(-60000), Nil)
    assertRows(w, 0, 100)
  }

  /** Appends rows, and stops before or after the commit of the merge that follows. */
  private def appendOnly(path: String, rows: DataFrame, after: Boolean = false): Unit = {
    intercept[IllegalStateException](over(path, new StoppingAtMerge(log(path), after)).append(rows))
    ()
  }

  test("a merge that stops leaves either the runs or the merged run") {
    Seq(false, true).foreach { after =>
      val (path, w) = created(kappa = 1)
      w.append(rows(0, 100))
      appendOnly(path, rows(100, 200), after)
      assertRows(w, 0, 200)
      assertEquals(w.state.runs.size, if (after) 1 else 2)
      assertEquals(w.compact(), if (after) 0 else 2)
      assertEquals(w.state.runs.size, 1)
      assertRows(w, 0, 200)
      w.vacuum(-60000)
      assertRows(w, 0, 200)
      assertEquals(Files.list(Path.of(path, "runs")).count(), 1L)
    }
  }

  test("a merge is dropped if another one was committed first") {
    val (path, w) = created(kappa = 1)
    w.append(rows(0, 100))
    appendOnly(path, rows(100, 200))
    val late = over(path, new OvertakenStore(log(path), () => { w.compact(); () }))
    assertEquals(late.compact(), 0)
    assertRows(w, 0, 200)
    // the two runs, the stopped merge, and the merge that was committed first
    assertEquals(Files.list(Path.of(path, "runs")).count(), 4L)
  }

  test("a merge and an append that is committed during it are both kept") {
    val (path, w) = created(kappa = 1)
    w.append(rows(0, 100))
    appendOnly(path, rows(100, 200))
    val overtaken = over(path, new OvertakenStore(log(path), () => appendOnly(path, rows(200, 300))))
    assertEquals(overtaken.compact(), 2)
    assertEquals(w.state.runs.map(_.level), IndexedSeq(1, 0))
    assertRows(w, 0, 300)
  }

  test("the files of an older version stay readable until the grace period ends") {
    val (_, w) = created(kappa = 1)
    w.append(rows(0, 100))
    val (before, late) = (w.quantile(phis), w.quantile(phis))
    w.append(rows(100, 200))
    assertEquals(w.state.runs.size, 1)
    assertEquals(w.vacuum(3600000), Nil)
    check(before, truth(rows(0, 100), Nil, "v"), 0)
    assertEquals(w.vacuum(-60000).size, 2)
    assertRows(w, 0, 200)
    val gone = message(late.collect())
    assert(gone.contains("CHRONOSKETCH_WAREHOUSE_DAMAGED") && gone.contains("is not there"), gone)
  }

  test("a manifest that was changed, was truncated or is not one is refused with a named condition") {
    val (path, w) = created()
    w.append(rows(0, 100))
    val newest = files(path).filter(_.toString.contains("/manifest/")).max
    val bytes = Files.readAllBytes(newest)
    def damaged(what: Array[Byte]): String = {
      Files.write(newest, what)
      val text = message(w.quantile(phis))
      Files.write(newest, bytes)
      assert(
        text.startsWith("[CHRONOSKETCH_WAREHOUSE_DAMAGED]") || text.startsWith(
          "[CHRONOSKETCH_WAREHOUSE_NEWER]"
        ),
        text
      )
      text
    }
    assert(damaged(Array.emptyByteArray).contains("cut short"))
    assert(damaged(bytes.dropRight(5)).contains("bytes, but should have"))
    assert(damaged("no manifest\n".getBytes).contains("is not a manifest"))
    assert(damaged(new String(bytes).replace(
      "\"rows\" : 100",
      "\"rows\" : 101"
    ).getBytes).contains("checksum"))
    assert(damaged(new String(bytes).replaceFirst(
      "warehouse 1 ",
      "warehouse 2 "
    ).getBytes).contains("format 2"))
    // a change of any bit is detected
    (bytes.indexOf('\n'.toByte) + 1 until bytes.length by 7).foreach { at =>
      damaged(bytes.updated(at, (bytes(at) ^ 4).toByte))
    }
    assertRows(w, 0, 100)
  }

  test("missing and truncated files are refused with a named condition") {
    val (path, w) = created()
    w.append(rows(0, 20000))
    val part =
      files(path).filter(f => f.toString.contains("/part-") && f.toString.endsWith(".zstd.parquet")).head
    val bytes = Files.readAllBytes(part)
    def refused(word: String): Unit = {
      val text = message(w.quantile(Seq(Phi(0.5))).collect())
      assert(text.startsWith("[CHRONOSKETCH_WAREHOUSE_DAMAGED]") && text.contains(word), text)
    }
    Files.delete(part)
    refused("is not there")
    Files.write(part, bytes.dropRight(10))
    refused("bytes, but should have")
    Files.write(part, bytes)
    assertRows(w, 0, 20000)
  }

  test("a folder has at most one warehouse, and unsupported columns and parameters are refused") {
    val (path, w) = created()
    assertEquals(condition(Warehouse.create(spark, path, "v")), "CHRONOSKETCH_WAREHOUSE_EXISTS")
    assertEquals(condition(w.quantile(phis)), "CHRONOSKETCH_WAREHOUSE_EMPTY")
    def column(body: => Any): String = {
      val text = message(body)
      assert(text.startsWith("[CHRONOSKETCH_WAREHOUSE_COLUMN]"), text)
      text
    }
    assert(column(w.append(sql("SELECT 1 AS x, 2 AS y"))).contains("only have the columns x, y"))
    assert(column(w.append(sql("SELECT 'a' AS v"))).contains("STRING"))
    assert(column(w.append(sql("SELECT 1 AS v, 2 AS v"))).contains("more than one such column"))
    w.append(rows(0, 10))
    assert(column(w.append(sql("SELECT 1 AS v"))).contains("INT, but it was BIGINT"))
    assert(column(Warehouse.create(spark, folder(), "v", Seq("V"))).contains("twice"))
    assert(column(Warehouse.create(spark, folder(), "v", Seq("phi"))).contains("phi"))
    assert(column(Warehouse.create(spark, folder(), "")).contains("no name"))
    val doubles = Warehouse.create(spark, folder(), "v", Seq("k"))
    assert(column(doubles.append(sql("SELECT 1 AS v, 2D AS k"))).contains("DOUBLE"))
    Seq(0.0, 0.7, Double.NaN).foreach { epsilon =>
      assertEquals(
        condition(Warehouse.create(spark, folder(), "v", epsilon = epsilon)),
        "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE"
      )
    }
    assertEquals(
      condition(Warehouse.create(spark, folder(), "v", kappa = 0)),
      "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE"
    )
  }
}

private object CommitsSuite {
  val kills = new AtomicInteger

  /** Kills the first attempt of each task that reads a certain row. */
  def killOnce(id: Long): Long = {
    val task = TaskContext.get()
    if (id % 5000 == 2500 && task.attemptNumber() == 0) {
      kills.incrementAndGet()
      KilledTask.kill(task)
    }
    id
  }
}
