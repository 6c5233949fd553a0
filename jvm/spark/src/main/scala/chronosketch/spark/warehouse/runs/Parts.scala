package chronosketch.spark.warehouse.runs

import java.util.UUID

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}

import chronosketch.spark.sql.SqlValues
import chronosketch.spark.warehouse.manifest.{Definition, RunFile}
import chronosketch.warehouse.RunSamples

/** The rows of one group in a part: which group, and what tells the ranks of its keys. */
private[runs] final case class GroupOfPart(by: UnsafeRow, samples: RunSamples, least: Long, greatest: Long)

/** What a task has written: a file, and its groups in the order of their rows. */
private[runs] final case class Part(file: RunFile, nulls: Long, groups: Array[GroupOfPart])

/** Writes rows that come in order into a file, and takes samples of them as they pass. A task that fails leaves a file that no manifest
  * names.
  */
private[runs] final class Parts(folder: String, files: RowFiles, epsilon: Double) extends Serializable {

  /** The rows of a task; none where it has none. */
  def write(task: TaskContext, rows: Iterator[InternalRow]): Option[Part] =
    if (rows.isEmpty) None else Some(new Writing(task.partitionId()).all(rows))

  private final class Writing(task: Int) {
    private val place = files.schema.length - 1
    private val valueType = files.schema.last.dataType
    private val values: SqlValues = Definition.values(valueType)
    private val byOf = UnsafeProjection.create(
      files.schema.init.zipWithIndex.map { case (f, i) => BoundReference(i, f.dataType, f.nullable) }
    )
    private val groups = Array.newBuilder[GroupOfPart]
    private var by: UnsafeRow = null
    private var samples: RunSamples = null
    private var least, greatest = 0L
    private var written, nulls = 0L

    def all(rows: Iterator[InternalRow]): Part = {
      val name = f"part-$task%05d-${UUID.randomUUID()}.zstd.parquet"
      val path = new Path(folder, name)
      val file = files.create(path)
      try rows.foreach { row =>
          if (row.isNullAt(place)) nulls += 1
          else {
            sample(row)
            file.write(row)
            written += 1
          }
        }
      finally file.close()
      finish()
      Part(RunFile(name, written, files.length(path)), nulls, groups.result())
    }

    private def sample(row: InternalRow): Unit = {
      val key = values.key(row.get(place, valueType))
      val group = byOf(row)
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
