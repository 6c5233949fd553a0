package chronosketch.spark.warehouse.runs

import java.util.UUID

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow

import chronosketch.spark.warehouse.manifest.LineFile

/** A file to which a task writes rows. If the task fails or is repeated, its file stays but no manifest names it. */
private[warehouse] final class PartFile(folder: String, files: RowFiles, task: Int) {
  private val name = f"part-$task%05d-${UUID.randomUUID()}.zstd.parquet"
  private val path = new Path(folder, name)
  private val output = files.create(path)
  private var rows = 0L

  def write(row: InternalRow): Unit = {
    output.write(row)
    rows += 1
  }

  def close(): Unit = output.close()

  /** The manifest entry of the file, after it is closed. */
  def written: LineFile = LineFile(name, rows, files.length(path))
}
