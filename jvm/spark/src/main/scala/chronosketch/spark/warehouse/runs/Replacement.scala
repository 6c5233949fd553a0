package chronosketch.spark.warehouse.runs

import chronosketch.spark.warehouse.manifest.{Damaged, Line, RunStore, State}

/** Replaces manifest entries by one entry in one commit: a reader sees either the old ones or the new one.
  *
  * Guarantee  if the inputs are no longer all present, the new entry is dropped, and no row is lost. If it has not all their rows, because
  *            a file was changed, it is refused
  */
private[warehouse] final class Replacement(store: RunStore, folders: RunFolders) {

  /** Commits the entry in place of its inputs. Returns the new version; empty if another writer was first. */
  def commit(inputs: Seq[Line], line: Line)(next: State => Option[State]): Option[State] = {
    val rows = inputs.map(_.rows).sum
    if (line.rows != rows) {
      folders.delete(line.id)
      throw Damaged(
        s"the files of ${inputs.map(_.id).mkString(", ")} gave ${line.rows} rows, but should have $rows"
      )
    }
    val committed = swap(next)
    if (committed.isEmpty) folders.delete(line.id)
    committed
  }

  private def swap(next: State => Option[State]): Option[State] = store.current().flatMap(next) match {
    case None => None
    case Some(state) => if (store.commit(state)) Some(state) else swap(next)
  }
}
