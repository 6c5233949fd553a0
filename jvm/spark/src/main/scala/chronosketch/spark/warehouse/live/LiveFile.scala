package chronosketch.spark.warehouse.live

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.quantile.GreenwaldKhanna
import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs.{Fitting, GroupedKeys, PartFile, RowFiles}
import chronosketch.summary.Envelope

/** The description of a group that a task returns: its rows, its least and greatest key, and the sketch of its values. */
private[live] final case class LiveGroup(
    by: UnsafeRow,
    rows: Long,
    least: Long,
    greatest: Long,
    sketch: Array[Byte]
)

/** The output of a task: its file, absent if no row had a value, and its groups. */
private[warehouse] final case class LivePart(
    file: Option[LineFile],
    nulls: Long,
    private[live] val groups: Array[LiveGroup]
) {
  def hasRows: Boolean = file.nonEmpty || nulls > 0
}

/** Opens the files of a live batch. Tasks write rows to them in the order of arrival. */
private[warehouse] final case class LiveFiles(folder: String, files: RowFiles, limit: LineLimit)
    extends Serializable {

  /** The writer of a task. Its file is created with the first row. */
  def open(task: Int): LiveFile = new LiveFile(this, task)
}

/** Writes the rows of one task to a file and sketches the values of each group on the way.
  *
  * Cost  the sketches of all groups of the task are held until it ends
  */
private[warehouse] final class LiveFile private[live] (to: LiveFiles, task: Int) {
  private val keys = new GroupedKeys(to.files.schema)
  private val domain = Definition.domain(to.files.schema.last.dataType)
  private val groups = mutable.LinkedHashMap.empty[UnsafeRow, Sketched]
  private var file: PartFile = null
  private var isClosed = false
  private var nulls = 0L
  private val epsilon = to.limit match {
    case MostError(epsilon) => epsilon
    case MostBytes(bytes) => Fitting.finest(bytes)
  }

  // the group of the last row: rows of a group often follow each other
  private var last: Sketched = null

  /** Writes a row of the columns of `by` and then the value. A row whose value is NULL is only counted. */
  def write(row: InternalRow): Unit =
    if (keys.hasValue(row)) {
      if (file == null) file = new PartFile(to.folder, to.files, task)
      file.write(row)
      sketched(keys.group(row)).sketch.insert(keys.key(row))
    } else nulls += 1

  private def sketched(group: UnsafeRow): Sketched = {
    if (last == null || group != last.by) {
      last = groups.getOrElse(group, null)
      if (last == null) {
        last = new Sketched(group.copy(), new GreenwaldKhanna(domain, epsilon))
        groups(last.by) = last
      }
    }
    last
  }

  /** Closes the file and returns what was written. */
  def part(): LivePart = {
    close()
    LivePart(
      Option(file).map(_.written),
      nulls,
      Coarser.within[LiveGroup](to.limit, groups.valuesIterator.map(_.summary).toSeq, _.sketch) {
        (group, sketch) =>
          group.copy(sketch = sketch)
      }.toArray
    )
  }

  def close(): Unit = if (file != null && !isClosed) {
    isClosed = true
    file.close()
  }
}

/** A group and the sketch of its values so far. */
private final class Sketched(val by: UnsafeRow, val sketch: GreenwaldKhanna) {
  def summary: LiveGroup = {
    val seen = sketch.profile
    LiveGroup(by, sketch.count, seen.minimum, seen.maximum, Envelope.seal(sketch))
  }
}
