package chronosketch.spark.warehouse.answers

import scala.collection.mutable

import chronosketch.spark.warehouse.manifest.Run
import chronosketch.spark.warehouse.runs.KeyReader
import chronosketch.warehouse.Asked

/** Reads what the searches of all groups ask, until they ask nothing any more. A pass goes through each run from its first row on, and what
  * several searches ask is read once.
  */
private[answers] object Passes {
  def run(groups: Seq[Group], reader: KeyReader): Unit = {
    var open = groups.flatMap(g => g.searches.map(g -> _))
    while (open.nonEmpty) {
      val asked = open.map { case (group, search) => (group, search, search.asked) }.filter(_._3.nonEmpty)
      val keys = read(asked.flatMap { case (group, _, all) => all.map(rows(group, _)) }, reader)
      asked.foreach { case (group, search, all) => search.learn(all.map(a => a -> keys(rows(group, a)))) }
      open = asked.map { case (group, search, _) => (group, search) }
    }
  }

  /** Rows of a run, from 0. */
  private final case class Rows(id: String, from: Long, until: Long)(val run: Run)

  private def rows(group: Group, asked: Asked): Rows = {
    val (run, firstRow) = group.run(asked.run)
    // places count from 1
    Rows(run.id, firstRow + asked.stretch.from - 1, firstRow + asked.stretch.until - 1)(run)
  }

  private def read(all: Seq[Rows], reader: KeyReader): Rows => Array[Long] = {
    val found = mutable.HashMap.empty[Rows, Array[Long]]
    all.distinct.sortBy(r => (r.id, r.from)).foreach(r => found(r) = reader.read(r.run, r.from, r.until))
    found
  }
}
