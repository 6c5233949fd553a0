package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}

import chronosketch.Cases

/** Tests that rows of steps and of groups are replaced and deleted in one commit, and that each other row stays. */
class EditsSuite extends WarehouseTests {
  import EditsSuite._

  private val schema = new StructType().add("host", StringType).add("v", LongType)

  private def frame(rows: Seq[(String, Long)]): DataFrame =
    spark.createDataFrame(rows.map { case (host, v) => Row(host, v) }.asJava, schema)

  private def created(kappa: Int = 10): (String, Warehouse) = {
    val path = folder()
    (path, Warehouse.create(spark, path, "v", Seq("host"), epsilon = 0.05, kappa = kappa))
  }

  private def assertRows(w: Warehouse, rows: Seq[(String, Long)], doubt: Boolean = false): Unit =
    check(
      w.quantile(phis),
      rows.groupMap(row => Seq[Any](row._1))(_._2).map { case (group, vs) =>
        group -> vs.sorted.toIndexedSeq
      },
      1,
      if (doubt) _ => Long.MaxValue else exact
    )

  private def of(host: String, from: Long, until: Long): Seq[(String, Long)] =
    (from until until).map(host -> _)

  private def folders(path: String): Int = Files.list(Path.of(path, "runs")).toArray.length

  test("random edits between appends, live batches, merges and ends of steps") {
    (1L to 2L * Cases.times).foreach { seed =>
      val random = new Random(seed)
      val (path, w) = created(kappa = 2)
      val stream = new ManualStream(spark, w, frame(Nil), "query")
      var rows = Seq.empty[Stored]
      var batch = 0L
      def fresh(hosts: Seq[String]): Seq[(String, Long)] =
        Seq.fill(random.nextInt(400))(hosts(random.nextInt(hosts.size)) -> random.nextInt(1000).toLong)
      def stored(step: Long, all: Seq[(String, Long)]): Seq[Stored] = all.map { case (h, v) =>
        Stored(step, h, v)
      }
      def someRuns(): (Long, Long) = {
        val runs = w.state.runs
        val at = random.nextInt(runs.size)
        (runs(at).firstStep, runs(math.min(at + random.nextInt(2), runs.size - 1)).lastStep)
      }
      val hosts = Seq("a", "b", "c", null)
      for (_ <- 0 until 30) {
        val host = hosts(random.nextInt(hosts.size))
        val where = if (host == null) "host IS NULL" else s"host = '$host'"
        random.nextInt(8) match {
          case 0 | 1 =>
            val added = fresh(hosts)
            rows ++= stored(w.append(frame(added)).step, added)
          case 2 =>
            val added = fresh(hosts)
            stream.take(batch, frame(added))
            batch += 1
            rows ++= stored(Live, added)
          case 3 =>
            w.endStep().foreach { ended =>
              rows = rows.map(row => if (row.step == Live) row.copy(step = ended.step) else row)
            }
          case 4 if w.state.runs.nonEmpty =>
            val (first, last) = someRuns()
            val added = fresh(hosts)
            val (old, others) = rows.partition(row => first <= row.step && row.step <= last)
            val replaced = w.replace(frame(added), Some(first), Some(last))
            assertEquals((replaced.rows, replaced.deleted), (added.size.toLong, old.size.toLong))
            rows = others ++ stored(last, added)
          case 5 =>
            val (old, others) = rows.partition(_.host == host)
            assertEquals(w.delete(Some(where)).rows, old.size.toLong)
            rows = others
          case 6 if w.state.runs.nonEmpty =>
            val (first, last) = someRuns()
            val both = random.nextBoolean()
            val (old, others) =
              rows.partition(row => first <= row.step && row.step <= last && (!both || row.host == host))
            assertEquals(
              w.delete(Option.when(both)(where), Some(first), Some(last)).rows,
              old.size.toLong
            )
            rows = others
          case _ =>
            val added = fresh(Seq(host))
            val (old, others) = rows.partition(_.host == host)
            val replaced = w.replace(frame(added), where = Some(where))
            assertEquals(replaced.deleted, old.size.toLong)
            rows = others ++ stored(replaced.step, added)
        }
        // the first rows decide the types
        if (w.state.definition.types.nonEmpty) assertRows(w, rows.map(row => (row.host, row.v)), doubt = true)
        assert(w.state.runs.map(_.level).sliding(2).forall(two => two.size < 2 || two(0) >= two(1)))
        w.windows.foreach { window =>
          assertEquals(window.rows, rows.count(_.step >= window.firstStep).toLong, s"seed $seed: $window")
        }
      }
      w.endStep()
      assertRows(w, rows.map(row => (row.host, row.v)))
      w.vacuum(-60000)
      assertEquals(folders(path), w.state.entries.count(_.rows > 0))
    }
  }

  test("a step is replaced, also by nothing, and a step that was left out is filled in") {
    val (_, w) = created()
    Seq(1L, 2L, 5L).foreach(step => w.append(frame(of("a", step * 10, step * 10 + 10)), step = Some(step)))
    assertEquals(w.replace(frame(of("a", 0, 7)), step = Some(2)), Replaced(2, 7, 0, 10, 4, isNew = true))
    assertEquals(w.replace(frame(of("b", 0, 3)), step = Some(4)).deleted, 0L)
    assertEquals(w.replace(frame(Nil), step = Some(1)).deleted, 10L)
    assertEquals(w.replace(frame(of("a", 90, 95)), step = Some(9)).step, 9L)
    assertRows(w, of("a", 0, 7) ++ of("b", 0, 3) ++ of("a", 50, 60) ++ of("a", 90, 95))
    assertEquals(w.state.runs.map(_.firstStep), Seq(1L, 2L, 4L, 5L, 9L).toIndexedSeq)
    assertEquals(w.windows.map(_.rows), Seq(5L, 15L, 18L, 25L, 25L))
    assertEquals(w.append(frame(of("a", 0, 1))).step, 10L)
  }

  test("merged steps can only be selected together, and the message says which") {
    val (_, w) = created(kappa = 2)
    (1L to 4L).foreach(step => w.append(frame(of("a", step * 10, step * 10 + 10))))
    assertEquals(w.state.runs.map(_.steps), IndexedSeq(3L, 1L))
    Seq[() => Any](
      () => w.replace(frame(Nil), step = Some(2)),
      () => w.delete(step = Some(2)),
      () => w.delete(Some("host = 'a'"), step = Some(1), lastStep = Some(2))
    ).foreach { edit =>
      assertEquals(condition(edit()), "CHRONOSKETCH_WAREHOUSE_STEPS_MERGED")
      assert(message(edit()).contains("Select step => 1, last_step => 3."), message(edit()))
    }
    assert(message(w.delete(
      step = Some(3),
      lastStep = Some(7)
    )).contains("Select step => 1, last_step => 7."))
    assertEquals(w.delete(step = Some(1), lastStep = Some(3)).rows, 30L)
    assertRows(w, of("a", 40, 50))
  }

  test("a group is forgotten: after vacuum, no file has a row or a summary of it") {
    val (path, w) = created()
    Seq(0L, 100L).foreach(from => w.append(frame(of("secret", from, from + 50) ++ of("a", from, from + 50))))
    new ManualStream(spark, w, frame(Nil), "query").take(0, frame(of("secret", 0, 9) ++ of("a", 200, 209)))
    val windows = w.windows.map(_.steps)
    assertEquals(w.delete(Some("host LIKE 'sec%'")), Deleted(109, 4))
    assertEquals(w.delete(Some("host LIKE 'sec%'")), Deleted(0, 4))
    assertEquals(w.windows.map(_.steps), windows)
    assertRows(w, of("a", 0, 50) ++ of("a", 100, 150) ++ of("a", 200, 209), doubt = true)
    w.vacuum(-60000)
    val all = files(path).map(_.toString).filter(_.endsWith(".parquet"))
    assertEquals(all.size, 6)
    all.foreach(file => assertEquals(spark.read.parquet(file).where("host = 'secret'").count(), 0L, file))
  }

  test("new rows of a group must meet the condition, and a refused edit leaves no files") {
    val (path, w) = created()
    w.append(frame(of("a", 0, 50) ++ of("b", 0, 50)))
    def outside: Any = w.replace(frame(of("a", 0, 5) ++ of("c", 0, 5)), where = Some("host = 'a'"))
    assertEquals(condition(outside), "CHRONOSKETCH_WAREHOUSE_NOT_SELECTED")
    assert(message(outside).contains("the group host = 'c'"), message(outside))
    Seq("hst = 'a'" -> "UNRESOLVED_COLUMN.WITH_SUGGESTION", "host" -> "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN")
      .foreach { case (where, expected) =>
        val e = intercept[AnalysisException](w.delete(Some(where)))
        assertEquals(e.getCondition, expected)
      }
    intercept[NumberFormatException](w.delete(Some("CAST(host AS INT) = 1")))
    Seq[() => Any](
      () => w.delete(),
      () => w.delete(Some("rand() < 0.5")),
      () => w.replace(frame(Nil)),
      () => w.delete(lastStep = Some(3)),
      () => w.delete(step = Some(3), lastStep = Some(2))
    ).foreach(edit => assertEquals(condition(edit()), "CHRONOSKETCH_WAREHOUSE_ARGUMENT"))
    assertEquals((folders(path), w.state.version), (1, 1L))
    assertRows(w, of("a", 0, 50) ++ of("b", 0, 50))
  }

  test("a repeated batch replaces once, also if the writer stopped after its commit") {
    Seq(false, true).foreach { after =>
      val (path, w) = created()
      w.append(frame(of("a", 0, 50) ++ of("b", 0, 50)))
      def replace(w: Warehouse): Replaced =
        w.replace(frame(of("a", 100, 120)), where = Some("host = 'a'"), batch = Some("loader" -> 3L))
      intercept[IllegalStateException](replace(over(path, new StoppingStore(log(path), after))))
      assertEquals(replace(w).isNew, !after)
      assertEquals(replace(w), Replaced(1, 0, 0, 0, 2, isNew = false))
      assertRows(w, of("a", 100, 120) ++ of("b", 0, 50))
      w.vacuum(-60000)
      assertEquals(folders(path), 1)
    }
  }

  test("an edit starts over if another writer merges its runs, and keeps what another writer adds") {
    val edits = Seq[(String, Warehouse => Any, Seq[(String, Long)])](
      ("delete", _.delete(Some("host = 'a'")), Nil),
      ("replace", _.replace(frame(of("a", 7, 9)), where = Some("host = 'a'")), of("a", 7, 9))
    )
    for ((name, edit, expected) <- edits; merges <- Seq(true, false)) {
      val (path, w) = created(kappa = 2)
      Seq(0L, 50L).foreach(from => w.append(frame(of("a", from, from + 50) ++ of("b", from, from + 50))))
      val added = if (merges) of("b", 100, 150) else of("b", 100, 150) ++ of("a", 100, 110)
      def meanwhile(): Unit =
        if (merges) { w.append(frame(added)); () }
        else new ManualStream(spark, w, frame(Nil), "query").take(0, frame(added))
      edit(over(path, new OvertakenStore(log(path), () => meanwhile())))
      assertEquals(w.state.runs.size, if (merges) 1 else 2, name)
      assertRows(w, of("b", 0, 100) ++ added ++ expected, doubt = true)
      w.vacuum(-60000)
      assertEquals(folders(path), w.state.entries.size)
    }
  }

  test("an edit of steps starts over if another writer fills them") {
    val (path, w) = created()
    w.append(frame(of("a", 0, 50)))
    val overtaken = over(path, new OvertakenStore(log(path), () => { w.append(frame(of("b", 0, 50))); () }))
    assertEquals(overtaken.replace(frame(of("a", 60, 70)), step = Some(2)).deleted, 50L)
    assertRows(w, of("a", 0, 50) ++ of("a", 60, 70))
  }

  test("a step that is filled in while the run after it is merged does not stop later merges") {
    val (path, w) = created(kappa = 2)
    Seq(
      1L, 2L, 3L, 5L, 6L
    ).foreach(step => w.append(frame(of("a", step * 10, step * 10 + 10)), step = Some(step)))
    val overtaken = over(path, new OvertakenStore(log(path), () => { w.append(frame(of("a", 70, 80))); () }))
    overtaken.replace(frame(of("a", 40, 50)), step = Some(4))
    // three runs of level 1 are one of level 2 now
    assertEquals(w.state.runs.map(run => (run.firstStep, run.lastStep, run.level)), IndexedSeq((1L, 7L, 2)))
    Seq(8L, 9L, 10L).foreach(step => w.append(frame(of("a", step * 10, step * 10 + 10))))
    assertRows(w, of("a", 10, 110))
  }

  test("two writers that store a new group at once: its rows count once") {
    val (path, w) = created()
    w.append(frame(of("a", 0, 50)))
    def load(w: Warehouse): Replaced = w.replace(frame(of("new", 0, 50)), where = Some("host = 'new'"))
    assertEquals(load(over(path, new OvertakenStore(log(path), () => { load(w); () }))).deleted, 50L)
    assertRows(w, of("a", 0, 50) ++ of("new", 0, 50))
  }

  test("groups of other types, and conditions with subqueries") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v", Seq("day", "amount", "at", "code"), epsilon = 0.05)
    val rows = spark.range(400).selectExpr(
      "DATE'2026-11-20' + CAST(id % 4 AS INT) AS day",
      "IF(id % 5 = 0, NULL, CAST(id % 5 AS DECIMAL(38, 2))) AS amount",
      "timestamp_seconds(id % 2) AS at",
      "CAST(concat('c', id % 2) AS BINARY) AS code",
      "id AS v"
    )
    w.append(rows)
    rows.createOrReplaceTempView("of_types")
    val conditions = Seq(
      "day = DATE'2026-11-21'",
      "amount IS NULL AND code = X'6331'",
      "amount >= 3.5 OR at = TIMESTAMP '1970-01-01 00:00:01'",
      "day = (SELECT max(day) FROM of_types)"
    )
    conditions.foldLeft(rows) { (left, condition) =>
      val (doomed, others) = (left.where(condition), left.where(s"coalesce(NOT ($condition), true)"))
      assertEquals(w.delete(Some(condition)).rows, doomed.count(), condition)
      val groups = Seq("day", "amount", "at", "hex(code) AS code")
      assertEquals(
        w.quantile(Seq(phi("0.5"))).selectExpr(groups :+ "count_low": _*).collect().toSet,
        others.selectExpr(groups: _*).groupBy("day", "amount", "at", "code").count().collect().toSet
      )
      others
    }
  }

  test("a warehouse without groups, one without rows, and one within a memory") {
    val path = folder()
    val w = Warehouse.createWithin(spark, path, "v", memory = 1 << 20)
    assertEquals(w.delete(Some("true")).rows, 0L)
    val values = spark.range(1000).selectExpr("id AS v")
    assertEquals(w.replace(values, where = Some("true")).step, 1L)
    new ManualStream(spark, w, values, "query").take(0, values)
    assertEquals(w.replace(values.where("v < 10"), where = Some("true")).deleted, 2000L)
    check(w.quantile(phis), Map(Nil -> (0L until 10L)), 0)
  }

  test("CALL replaces and deletes") {
    withConf("spark.sql.catalog.chronosketch" -> "chronosketch.spark.warehouse.call.WarehouseCatalog") {
      val (path, _) = created()
      frame(of("a", 0, 50) ++ of("b", 0, 50)).createOrReplaceTempView("edited")
      frame(of("a", 0, 5)).createOrReplaceTempView("fewer")
      def call(text: String): String = spark.sql(s"CALL chronosketch.$text").collect().mkString
      call(s"append('$path', 'edited')")
      assertEquals(
        call(s"""replace('$path', 'fewer', where => "host = 'a'", writer => 'w', batch => 1)"""),
        "[1,5,0,50,2,true]"
      )
      assertEquals(call(s"replace('$path', 'edited', step => 1)"), "[1,100,0,55,3,true]")
      assertEquals(call(s"""delete('$path', "host = 'b'", step => 1)"""), "[50,4]")
      assertEquals(call(s"delete('$path', step => 1)"), "[50,5]")
    }
  }

  test("an unknown procedure: the nearest is named") {
    def refused(call: String): (String, String) = {
      val e = intercept[RuntimeException](spark.sql(s"CALL chronosketch.$call").collect())
      (e.asInstanceOf[SparkThrowable].getCondition, e.getMessage)
    }
    withConf("spark.sql.catalog.chronosketch" -> "chronosketch.spark.warehouse.call.WarehouseCatalog") {
      for (
        (call, nearest) <-
          Seq("appnd()" -> "append", "rolup('a', 'b')" -> "rollup", "refrsh('a')" -> "refresh")
      ) {
        val (condition, message) = refused(call)
        assertEquals(condition, "CHRONOSKETCH_NO_PROCEDURE")
        assert(message.contains(s" The nearest is $nearest."), message)
        assert(message.contains(s"Call one of create, append, "), message)
      }
      assert(!refused("elsewhere()")._2.contains("nearest"))
    }
  }
}

private object EditsSuite {

  /** The step of live rows: after all others. */
  val Live: Long = Long.MaxValue

  /** A row that the warehouse should have. */
  final case class Stored(step: Long, host: String, v: Long)
}
