package chronosketch.spark.warehouse.runs

import java.util.UUID

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow

import chronosketch.spark.warehouse.manifest.LineFile

/** A file that a task writes rows to. Where the task fails, or is done twice, there is a file that no manifest names. */
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

  /** What has been written, once it is closed. */
  def written: LineFile = LineFile(name, rows, files.length(path))
}
