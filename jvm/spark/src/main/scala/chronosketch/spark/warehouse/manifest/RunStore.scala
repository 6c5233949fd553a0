package chronosketch.spark.warehouse.manifest

/** Where the versions of a warehouse's state are kept. Whoever commits first wins; nothing else needs to be agreed on. */
private[spark] trait RunStore {

  /** The newest state; none where there is no warehouse. */
  def current(): Option[State]

  /** Makes a state the newest, where it follows the newest; false where another has come first. */
  def commit(next: State): Boolean

  /** All states that are still kept, newest first. */
  def kept(): Seq[State]

  /** Keeps no state any longer that is older than this version. */
  def forget(before: Long): Unit

  /** What it stands on, for `describe`. */
  def description: String
}
