package chronosketch.spark.warehouse.runs

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

import chronosketch.spark.warehouse.blocks.KeyBlock
import chronosketch.spark.warehouse.manifest.{LineFile, LineLimit}
import chronosketch.warehouse.RunSamples

/** One group in a part: its samples, and its least and greatest key. */
private[runs] final case class GroupOfPart(by: UnsafeRow, samples: RunSamples, least: Long, greatest: Long)

/** The output of a task: its file, and its groups in the order of their rows. */
private[runs] final case class Part(file: LineFile, groups: Array[GroupOfPart])

/** Writes sorted rows into a file and samples them on the way. A task that fails leaves a file that no manifest names. */
private[runs] final class Parts(folder: String, files: RowFiles, limit: LineLimit) extends Serializable {

  /** Writes the rows of a task; returns None if it has none. */
  def write(task: TaskContext, rows: Iterator[KeyBlock]): Option[Part] =
    if (rows.isEmpty) None else Some(new Writing(task).all(rows))

  private final class Writing(task: TaskContext) {
    private val value = new ValueOfKey(files.schema.last.dataType)
    private val row = new JoinedRow
    private val groups = mutable.ArrayBuffer.empty[GroupOfPart]
    private val holding = Holding.of(limit, task.numPartitions())
    private var by: UnsafeRow = null
    private var samples: RunSamples = null
    private var least, greatest = 0L

    def all(rows: Iterator[KeyBlock]): Part = {
      val file = new PartFile(folder, files, task.partitionId())
      try rows.foreach { block =>
          sample(block)
          row(block.by, value.row)
          var i = 0
          while (i < block.count) {
            value.set(block.keys(i))
            file.write(row)
            i += 1
          }
        }
      finally file.close()
      finish()
      Part(file.written, groups.toArray)
    }

    private def sample(block: KeyBlock): Unit = {
      val keys = block.keys
      if (by == null || block.by != by) {
        finish()
        by = block.by.copy()
        samples = holding.begun()
        least = keys(0)
      }
      var i = 0
      while (i < block.count) { samples.add(keys(i)); i += 1 }
      greatest = keys(block.count - 1)
    }

    private def finish(): Unit = if (by != null) {
      samples.trim()
      groups += GroupOfPart(by, samples, least, greatest)
      holding.keepTo(samples, groups)
    }
  }
}
