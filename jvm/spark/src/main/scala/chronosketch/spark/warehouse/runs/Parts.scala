package chronosketch.spark.warehouse.runs

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.spark.warehouse.manifest.LineFile
import chronosketch.warehouse.RunSamples

/** The rows of one group in a part: which group, and what tells the ranks of its keys. */
private[runs] final case class GroupOfPart(by: UnsafeRow, samples: RunSamples, least: Long, greatest: Long)

/** What a task has written: a file, and its groups in the order of their rows. */
private[runs] final case class Part(file: LineFile, nulls: Long, groups: Array[GroupOfPart])

/** Writes rows that come in order into a file, and takes samples of them as they pass. A task that fails leaves a file that no manifest
  * names.
  */
private[runs] final class Parts(folder: String, files: RowFiles, epsilon: Double) extends Serializable {

  /** The rows of a task; none where it has none. */
  def write(task: TaskContext, rows: Iterator[InternalRow]): Option[Part] =
    if (rows.isEmpty) None else Some(new Writing(task.partitionId()).all(rows))

  private final class Writing(task: Int) {
    private val keys = new GroupedKeys(files.schema)
    private val groups = Array.newBuilder[GroupOfPart]
    private var by: UnsafeRow = null
    private var samples: RunSamples = null
    private var least, greatest = 0L
    private var nulls = 0L

    def all(rows: Iterator[InternalRow]): Part = {
      val file = new PartFile(folder, files, task)
      try rows.foreach { row =>
          if (keys.hasValue(row)) {
            sample(row)
            file.write(row)
          } else nulls += 1
        }
      finally file.close()
      finish()
      Part(file.written, nulls, groups.result())
    }

    private def sample(row: InternalRow): Unit = {
      val key = keys.key(row)
      val group = keys.group(row)
      if (by == null || group != by) {
        finish()
        by = group.copy()
        samples = new RunSamples(epsilon)
        least = key
      }
      samples.add(key)
      greatest = key
    }

    private def finish(): Unit = if (by != null) {
      samples.trim()
      groups += GroupOfPart(by, samples, least, greatest)
    }
  }
}
