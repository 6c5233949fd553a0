package chronosketch.spark.warehouse.runs

import chronosketch.spark.warehouse.manifest.{Line, RunStore, State}

/** Puts a line in the place of others, in one commit: a reader sees the one or the others.
  *
  * Guarantee  a line whose inputs do not all stand any more is dropped, and no row with it
  */
private[warehouse] final class Replacement(store: RunStore, folders: RunFolders) {

  /** The version with the line, where there is one; none where another was quicker. */
  def commit(line: Line)(next: State => Option[State]): Option[State] = {
    val committed = swap(next)
    if (committed.isEmpty) folders.delete(line.id)
    committed
  }

  private def swap(next: State => Option[State]): Option[State] = store.current().flatMap(next) match {
    case None => None
    case Some(state) => if (store.commit(state)) Some(state) else swap(next)
  }
}
