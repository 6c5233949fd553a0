package chronosketch.spark.warehouse.manifest

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic

import chronosketch.Refusal

/** What a warehouse may keep its manifest in, and what the one in a folder does. */
private[spark] final class RunStores(session: classic.SparkSession, warehouse: Path) {
  import RunStores._

  private val conf = session.sessionState.newHadoopConf()
  private val manifest = new Path(warehouse, "manifest")

  /** The one that is there; where there is none, an empty one of files. */
  def found: RunStore = if (hasDelta) delta else files

  /** The one of a kind, whatever is there. */
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

  /** Whether nothing is there but this kind: the folder of another says what a warehouse is. */
  def isOnly(kind: String): Boolean = if (kind == Delta) files.current().isEmpty else !hasDelta

  private def hasDelta: Boolean = warehouse.getFileSystem(conf).exists(new Path(manifest, DeltaTable.Log))
  private def delta: RunStore = new RunTable(new DeltaTable(manifest, session, conf))
  private def files: RunStore = new RunLog(manifest, conf)
}

private[spark] object RunStores {
  val Files = "files"
  val Delta = "delta"
}
