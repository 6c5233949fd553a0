package chronosketch.spark.warehouse.manifest

/** Stores the versions of a warehouse's state. The first writer to commit a version wins; writers need no other coordination. */
private[spark] trait RunStore {

  /** The newest state; empty if there is no warehouse. */
  def current(): Option[State]

  /** Commits a state as the newest if it directly follows the newest. Returns false if another writer was first. */
  def commit(next: State): Boolean

  /** All stored states, newest first. */
  def kept(): Seq[State]

  /** Deletes all states that are older than this version. */
  def forget(before: Long): Unit

  /** The storage guarantee that commits rely on, for `describe`. */
  def description: String
}
