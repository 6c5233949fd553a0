package chronosketch.spark.warehouse.runs

import chronosketch.Refusal
import chronosketch.spark.warehouse.manifest.{ManifestEntry, ManifestStore, State, Update}
import chronosketch.warehouse.DamagedWarehouse

/** Commits entries whose files are complete, and deletes the files of entries that are not committed, because no manifest names them.
  *
  * Guarantee  the files stay if it is unknown whether the commit succeeded; then `vacuum` will decide
  */
private[warehouse] final class EntryCommits(store: ManifestStore, folders: EntryFolders) {

  /** Commits the state that `change` makes by adding the entry, or drops the entry if `change` returns None. */
  def add(entry: ManifestEntry)(change: State => Option[State]): Update = addAll(Seq(entry))(change)

  /** Commits the state that `change` makes by adding the entries, or drops these if `change` returns None. */
  def addAll(entries: Seq[ManifestEntry])(change: State => Option[State]): Update = {
    def drop(): Unit = entries.foreach(entry => folders.delete(entry.id))
    try {
      val update = store.update(change)
      if (!update.isCommitted) drop()
      update
    } catch {
      case refusal: Refusal =>
        drop()
        throw refusal
    }
  }

  /** Commits an entry in place of its inputs: a reader sees either these or the entry. `change` returns None if they are no longer all
    * present. An entry that does not have all their rows, because a file was changed, is refused.
    */
  def replace(inputs: Seq[ManifestEntry], entry: ManifestEntry)(change: State => Option[State]): Update =
    add(entry) { state =>
      EntryCommits.requireRows(inputs, entry, inputs.map(_.rows).sum)
      change(state)
    }
}

private[warehouse] object EntryCommits {

  /** Refuses an entry that does not have this number of rows of its inputs, because a file was changed. */
  def requireRows(inputs: Seq[ManifestEntry], entry: ManifestEntry, rows: Long): Unit =
    if (entry.rows != rows)
      throw DamagedWarehouse(
        s"the files of ${inputs.map(_.id).mkString(", ")} gave ${entry.rows} rows, but should have $rows"
      )
}
