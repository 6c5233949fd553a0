package chronosketch.spark.warehouse.manifest

import java.util.ConcurrentModificationException

import org.apache.spark.SparkThrowable

import chronosketch.Suite

/** Tests the result of a commit for each answer of the table, and if the table does not report a conflict. */
class TableStoreSuite extends Suite {
  private val first = State.initial(Definition("id", "v", Nil, None, ErrorLimits(0.01, 0.005), 3))
  private def state(version: Long, by: String = "me"): State = first.copy(version = version, commit = by)
  private def row(state: State): VersionRow =
    VersionRow(state.version, new String(StateCodec.encode(state), "UTF-8"))

  /** A table in memory, whose `add` is replaced by `adding`. */
  private final class Rows(adding: Rows => VersionRow => Unit) extends VersionTable {
    var all: Seq[VersionRow] = Nil
    var changes = 0
    var reads = 0
    def put(row: VersionRow): Unit = { all = all :+ row; changes += 1 }
    def mark: Option[String] = Option.when(changes > 0)(changes.toString)
    def newestVersion: Long = all.map(_.version).max
    def rowsFrom(version: Long): Seq[VersionRow] = { reads += 1; all.filter(_.version >= version) }
    def add(appId: String, row: VersionRow): Unit = adding(this)(row)
    def deleteBefore(version: Long): Unit = { all = all.filter(_.version >= version); changes += 1 }
    val path: String = s"memory:${State.newId()}"
    def description: String = path
  }

  private def table(adding: Rows => VersionRow => Unit): (Rows, TableStore) = {
    val rows = new Rows(adding)
    rows.put(row(first))
    (rows, new TableStore(rows))
  }

  private def unknownMessage(store: TableStore): String = {
    val e = intercept[RuntimeException](store.commit(state(1)))
    assertEquals(e.asInstanceOf[SparkThrowable].getCondition, "CHRONOSKETCH_WAREHOUSE_COMMIT_UNKNOWN")
    // not a Refusal, after which a writer would delete its files
    assert(!e.isInstanceOf[chronosketch.Refusal])
    e.getMessage
  }

  test("a commit that is found in the table counts as won, even if the table reported a conflict") {
    assert(table(_.put)._2.commit(state(1)))
    val (_, said) = table { rows => mine =>
      rows.put(mine)
      throw new ConcurrentModificationException("of its own")
    }
    assert(said.commit(state(1)))
  }

  test("a commit is lost if another has the version, whether or not the table reports the conflict") {
    Seq(true, false).foreach { isSaid =>
      val (rows, store) = table { rows => _ =>
        rows.put(row(state(1, "another")))
        if (isSaid) throw new ConcurrentModificationException("another")
      }
      assert(!store.commit(state(1)))
      assertEquals(store.current().map(_.commit), Some("another"))
      assert(!store.commit(state(1)))
      assertEquals(rows.all.size, 2)
    }
  }

  test("a commit of a dropped version is lost; if no conflict was reported, the result is unknown") {
    def overtaken(rows: Rows): Unit = { rows.put(row(state(2, "another"))); rows.deleteBefore(2) }
    val (_, said) = table { rows => _ =>
      overtaken(rows)
      throw new ConcurrentModificationException("another")
    }
    assert(!said.commit(state(1)))
    assertEquals(said.current().map(_.version), Some(2L))
    val forgotten = table { rows => _ => overtaken(rows) }._2
    assert(unknownMessage(forgotten).contains("forgotten before it was read back"))
  }

  test("if the table has two rows of a version, or none, the result is unknown") {
    assert(unknownMessage(table(_ => _ => ())._2).contains("passes over version 1"))
    val both = table { rows => mine => rows.put(mine); rows.put(row(state(1, "another"))) }._2
    assert(unknownMessage(both).contains("2 rows of version 1"))
  }

  test("a version that is not the next one is refused before a row is added") {
    val (rows, store) = table(_.put)
    Seq(0L, 2L).foreach(version => assert(!store.commit(state(version))))
    assertEquals(rows.all.size, 1)
  }

  test("the state is read once after each change, for all instances together") {
    val (rows, store) = table(_.put)
    assertEquals(store.current(), Some(first))
    assertEquals(rows.reads, 1)
    (1 to 3).foreach(_ => assertEquals(new TableStore(rows).current(), Some(first)))
    assertEquals(rows.reads, 1)
    // a commit reads its row back, so the state is known afterwards
    assert(store.commit(state(1)))
    assertEquals(new TableStore(rows).current(), Some(state(1)))
    assertEquals(rows.reads, 2)
    rows.put(row(state(2, "another")))
    rows.put(row(state(3, "another")))
    rows.deleteBefore(3)
    assertEquals(store.current(), Some(state(3, "another")))
    assertEquals(rows.reads, 3)
    // another table in its place, with fewer versions
    rows.all = Seq(row(state(0, "new")))
    rows.changes += 1
    assertEquals(store.current(), Some(state(0, "new")))
  }
}
