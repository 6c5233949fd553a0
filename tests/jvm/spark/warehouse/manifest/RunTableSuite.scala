package chronosketch.spark.warehouse.manifest

import java.util.ConcurrentModificationException

import org.apache.spark.SparkThrowable

import munit.FunSuite

/** What a commit makes of the answers that a table may give, and of those that it keeps to itself. */
class RunTableSuite extends FunSuite {
  private val first = State.first(Definition("id", "v", Nil, None, ErrorLimits(0.01, 0.005), 3))
  private def state(version: Long, by: String = "me"): State = first.copy(version = version, commit = by)
  private def row(of: State): VersionRow = VersionRow(of.version, new String(StateText.write(of), "UTF-8"))

  /** A table in memory; `adding` happens in place of what should. */
  private final class Rows(adding: Rows => VersionRow => Unit) extends VersionRows {
    var all: Seq[VersionRow] = Nil
    var changes = 0
    var reads = 0
    def put(row: VersionRow): Unit = { all = all :+ row; changes += 1 }
    def mark: Option[String] = Option.when(changes > 0)(changes.toString)
    def newest: Long = all.map(_.version).max
    def from(version: Long): Seq[VersionRow] = { reads += 1; all.filter(_.version >= version) }
    def add(by: String, row: VersionRow): Unit = adding(this)(row)
    def deleteBefore(version: Long): Unit = { all = all.filter(_.version >= version); changes += 1 }
    val place: String = s"memory:${State.newId()}"
    def description: String = place
  }

  private def table(adding: Rows => VersionRow => Unit): (Rows, RunTable) = {
    val rows = new Rows(adding)
    rows.put(row(first))
    (rows, new RunTable(rows))
  }

  private def unknown(store: RunTable): String = {
    val e = intercept[RuntimeException](store.commit(state(1)))
    assertEquals(e.asInstanceOf[SparkThrowable].getCondition, "CHRONOSKETCH_WAREHOUSE_COMMIT_UNKNOWN")
    // not what a writer takes for a refusal, after which it deletes its files
    assert(!e.isInstanceOf[chronosketch.Refusal])
    e.getMessage
  }

  test("what was added and stands is a win, also where the table says that another was quicker") {
    assert(table(_.put)._2.commit(state(1)))
    val (_, said) = table { rows => mine =>
      rows.put(mine)
      throw new ConcurrentModificationException("of its own")
    }
    assert(said.commit(state(1)))
  }

  test("what another overtook is lost, whether the table says so or passes over it") {
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

  test("what another overtook and forgot is lost; where nobody says so, it is not known") {
    def overtaken(rows: Rows): Unit = { rows.put(row(state(2, "another"))); rows.deleteBefore(2) }
    val (_, said) = table { rows => _ =>
      overtaken(rows)
      throw new ConcurrentModificationException("another")
    }
    assert(!said.commit(state(1)))
    assertEquals(said.current().map(_.version), Some(2L))
    assert(unknown(table { rows => _ => overtaken(rows) }._2).contains("forgotten before it was read back"))
  }

  test("a table that lets two win, or neither, is not believed") {
    assert(unknown(table(_ => _ => ())._2).contains("passes over version 1"))
    val both = table { rows => mine => rows.put(mine); rows.put(row(state(1, "another"))) }._2
    assert(unknown(both).contains("2 rows of version 1"))
  }

  test("a version that does not follow is refused before anything is added") {
    val (rows, store) = table(_.put)
    Seq(0L, 2L).foreach(version => assert(!store.commit(state(version))))
    assertEquals(rows.all.size, 1)
  }

  test("the state is read once after each change, whoever asks and from wherever it is known") {
    val (rows, store) = table(_.put)
    assertEquals(store.current(), Some(first))
    assertEquals(rows.reads, 1)
    (1 to 3).foreach(_ => assertEquals(new RunTable(rows).current(), Some(first)))
    assertEquals(rows.reads, 1)
    // a commit is read back, and known then
    assert(store.commit(state(1)))
    assertEquals(new RunTable(rows).current(), Some(state(1)))
    assertEquals(rows.reads, 2)
    rows.put(row(state(2, "another")))
    rows.put(row(state(3, "another")))
    rows.deleteBefore(3)
    assertEquals(store.current(), Some(state(3, "another")))
    assertEquals(rows.reads, 3)
    // a table in its place, with fewer versions
    rows.all = Seq(row(state(0, "new")))
    rows.changes += 1
    assertEquals(store.current(), Some(state(0, "new")))
  }
}
