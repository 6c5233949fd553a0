package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.types.{DecimalType, StringType}

import chronosketch.spark.warehouse.manifest._

/** The same of every store: one commit a version, whole states, and what is forgotten is gone. */
class StoresSuite extends WarehouseTests {
  private val first = State.first(Definition("id", "v", Seq("k"), None, 0.01, 0.005, 3))

  // each field as it seldom is
  private val whole = {
    val file = LineFile("part-1", 10, 1234)
    val live = Live("b", 1, 3, Some((-5, Long.MinValue)), Seq(file, file.copy(name = "part-2")), Some(file))
    State(
      Definition("id", "v", Seq("k"), Some(Seq(StringType, DecimalType(18, 3))), 0.01, 0.005, 3),
      version = 7,
      commit = "x",
      at = -1,
      runs = Vector(Run("a", 2, -4, 7, 3, 0, Some((Long.MinValue, 5)), Seq(file), Some(file))),
      open = Some(OpenStep("s", Some(-17), Vector(live, Live("c", 0, 9, None, Nil, None)))),
      written = Seq(Written("it's \"me\"", Long.MaxValue, -3)),
      streamed = Seq(Streamed("q", Long.MaxValue))
    )
  }

  test("a manifest as it was once written is read for ever, and is written so today") {
    val golden = Path.of("tests", "golden", "v1", "warehouse").toAbsolutePath
    val today = folder()
    assert(log(today).commit(whole))
    val written = files(today).head
    val kept = golden.resolve(written.getFileName)
    assert(Files.exists(kept), s"there is no $kept: copy $written")
    assertEquals(
      new RunLog(new HadoopPath(s"file:$golden"), Warehouse.hadoop(spark)).current(),
      Some(whole)
    )
    assertEquals(Files.readString(written), Files.readString(kept))
  }

  private def each(name: String)(body: (() => RunStore, String) => Unit): Unit =
    Seq("file:", "other:").foreach { scheme =>
      test(s"$scheme $name") {
        withConf("fs.other.impl" -> classOf[OtherStore].getName) {
          val path = scheme + folder()
          body(() => new RunLog(new HadoopPath(path, "manifest"), Warehouse.hadoop(spark)), path)
        }
      }
    }

  each("there is nothing, then the state that was committed, to the last field") { (store, _) =>
    assertEquals(store().current(), None)
    assert(store().commit(first))
    assertEquals(store().current(), Some(first))
    val next = whole.copy(version = 1)
    assert(store().commit(next))
    assertEquals(store().current(), Some(next))
    assertEquals(store().kept(), Seq(next, first))
  }

  each("a version that is there stays as it is") { (store, _) =>
    assert(store().commit(first))
    assert(!store().commit(first.copy(commit = "another")))
    assertEquals(store().current(), Some(first))
  }

  each("what is forgotten is gone, and the newest is never") { (store, _) =>
    (0L to 5L).foreach(v => assert(store().commit(first.copy(version = v))))
    store().forget(3)
    assertEquals(store().kept().map(_.version), Seq(5L, 4L, 3L))
    assertEquals(store().current().map(_.version), Some(5L))
  }

  each("a whole warehouse stands on it") { (_, path) =>
    val w = Warehouse.create(spark, path, "v", Seq("k"), epsilon = 0.05, kappa = 1)
    val rows = spark.range(3000).selectExpr("id * 7919 % 3001 AS v", "id % 2 AS k")
    (1 to 3).foreach(_ => w.append(rows))
    check(Warehouse.open(spark, path).quantile(phis), truth(rows.union(rows).union(rows), Seq("k"), "v"), 1)
    assertEquals(w.vacuum(-60000).size, 2)
    check(w.quantile(phis), truth(rows.union(rows).union(rows), Seq("k"), "v"), 1)
    assert(
      w.standsOn.contains(if (path.startsWith("file:")) "local disk" else "CheckpointFileManager"),
      w.standsOn
    )
  }
}
