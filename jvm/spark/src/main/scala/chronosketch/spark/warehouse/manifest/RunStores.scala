package chronosketch.spark.warehouse.manifest

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic

import chronosketch.Refusal

/** Chooses the store of a warehouse's manifest, and detects the one that a folder has. */
private[spark] final class RunStores(session: classic.SparkSession, warehouse: Path) {
  import RunStores._

  private val conf = session.sessionState.newHadoopConf()
  private val manifest = new Path(warehouse, "manifest")

  /** The store that the folder has; an empty file store if it has none. */
  def found: RunStore = if (hasDelta) delta else files

  /** The store of this kind, whether or not the folder has it. */
  def of(kind: String): RunStore = kind match {
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
  private def delta: RunStore = new RunTable(new DeltaTable(manifest, session, conf))
  private def files: RunStore = new RunLog(manifest, conf)
}

private[spark] object RunStores {
  val Files = "files"
  val Delta = "delta"
}
