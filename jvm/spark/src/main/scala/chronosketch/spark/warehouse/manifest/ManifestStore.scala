package chronosketch.spark.warehouse.manifest

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic

import chronosketch.Refusal

/** Stores the versions of a warehouse's state. The first writer to commit a version wins; writers need no other coordination. */
private[spark] trait ManifestStore {

  /** The newest state; empty if there is no warehouse. */
  def current(): Option[State]

  /** Commits a state as the newest if it directly follows the newest. Returns false if another writer was first. */
  def commit(next: State): Boolean

  /** All stored states, newest first. */
  def storedStates(): Seq[State]

  /** Deletes all states that are older than this version. */
  def deleteBefore(version: Long): Unit

  /** The storage guarantee that commits rely on, for `describe`. */
  def description: String

  /** The newest state. Refuses if there is no warehouse. */
  final def newest: State = current().getOrElse(throw Refusal("CHRONOSKETCH_WAREHOUSE_NOT_FOUND"))

  /** Commits the state that `change` makes of the newest one, or nothing if it returns None. If another writer commits first, applies the
    * change to that writer's state.
    */
  @tailrec final def update(change: State => Option[State]): Update = {
    val before = newest
    change(before) match {
      case None => Update(before, before)
      case Some(after) => if (commit(after)) Update(before, after) else update(change)
    }
  }
}

/** The states before and after an update, which are the same if nothing was changed. */
private[spark] final case class Update(before: State, after: State) {

  /** Whether a new version was committed. */
  def isCommitted: Boolean = after.version > before.version
}

/** Chooses the store of a warehouse's manifest, and detects the one that a folder has. */
private[spark] final class ManifestStores(session: classic.SparkSession, warehouse: Path) {
  import ManifestStores._

  private val conf = session.sessionState.newHadoopConf()
  private val manifest = new Path(warehouse, "manifest")

  /** The store that the folder has; an empty file store if it has none. */
  def detect(): ManifestStore = if (hasDelta) delta else files

  /** The store of this kind, whether or not the folder has it. */
  def ofKind(kind: String): ManifestStore = kind match {
    case Files => files
    case Delta => delta
    case other =>
      throw Refusal(
        "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
        "argument" -> "store",
        "required" -> s"'$Files' or '$Delta'",
        "sql" -> s"'$other'"
      )
  }

  /** Whether the folder has no store of another kind. The file store is checked for a state, the Delta store for its log folder. */
  def isOnly(kind: String): Boolean = if (kind == Delta) files.current().isEmpty else !hasDelta

  private def hasDelta: Boolean = warehouse.getFileSystem(conf).exists(new Path(manifest, DeltaTable.Log))
  private def delta: ManifestStore = new TableStore(new DeltaTable(manifest, session, conf))
  private def files: ManifestStore = new FileStore(manifest, conf)
}

private[spark] object ManifestStores {
  val Files = "files"
  val Delta = "delta"
}
