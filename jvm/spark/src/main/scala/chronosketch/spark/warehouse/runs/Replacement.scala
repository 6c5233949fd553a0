package chronosketch.spark.warehouse.runs

import chronosketch.spark.warehouse.manifest.{Damaged, Line, RunStore, State}

/** Puts a line in the place of others, in one commit: a reader sees the one or the others.
  *
  * Guarantee  a line whose inputs do not all stand any more is dropped, and no row with it. One that has not all of their rows, because a
  *            file is not what it was, is refused
  */
private[warehouse] final class Replacement(store: RunStore, folders: RunFolders) {

  /** The version with the line in place of its inputs; none if another was quicker. */
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
