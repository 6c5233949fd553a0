package chronosketch.spark.history.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeProjection, UnsafeRow}

import chronosketch.memory.Meter
import chronosketch.spark.memory.AggregateMemory
import chronosketch.spark.rows.RowLimit
import chronosketch.spark.sql.SparkPrivates

/** Computes the groups of one partition, one after the other. The rows are sorted by group and version.
  *
  * Memory  that of one group's builders. It is requested from Spark, so that the sort below spills. If Spark grants none, the group is
  *         built anyway, because the operator itself cannot free anything
  */
final class HistoryIterator(spec: HistorySpec, partition: Int, rows: Iterator[InternalRow])
    extends Iterator[UnsafeRow] {
  private val meter = new Meter
  private val histories = spec.calls.map(new GroupHistory(_, meter)).toArray
  private val keysOf = UnsafeProjection.create(spec.keys)
  private val output = UnsafeProjection.create(spec.outputTypes)
  private val joined = new JoinedRow
  private val rowLimit = new RowLimit
  private val task = TaskContext.get()
  private val memory = new AggregateMemory(SparkPrivates.memoryOf(task), meter)
  task.addTaskCompletionListener[Unit](_ => memory.release())
  keysOf.initialize(partition)

  // the first row of the next group
  private var nextRow: InternalRow = if (rows.hasNext) rows.next() else null
  // without keys there is one group even if there are no rows
  private var hasEmptyGroup = spec.keys.isEmpty && nextRow == null

  def hasNext: Boolean = nextRow != null || hasEmptyGroup

  def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException("no group is left")
    hasEmptyGroup = false
    var i = 0
    while (i < histories.length) { histories(i).start(); i += 1 }
    val keys = if (nextRow == null) InternalRow.empty else addGroup()
    val answers = new Array[Any](histories.length)
    i = 0
    while (i < answers.length) { answers(i) = histories(i).finish(); i += 1 }
    rowLimit.require(answers)
    spec.rowsOut.add(1)
    if (nextRow == null) spec.peakMemory.add(memory.peakBytes)
    output(joined(keys, new GenericInternalRow(answers)))
  }

  /** Adds all rows of the group that starts with `nextRow`, and returns its keys. */
  private def addGroup(): InternalRow = {
    val keys = keysOf(nextRow).copy()
    var isSame = true
    while (isSame) {
      if (!nextRow.isNullAt(spec.version)) {
        val version = nextRow.getLong(spec.version)
        var i = 0
        while (i < histories.length) { histories(i).add(nextRow, version); i += 1 }
        memory.request() // histories cannot be freed here: a request makes other consumers spill
      }
      nextRow = if (rows.hasNext) rows.next() else null
      isSame = nextRow != null && keysOf(nextRow) == keys
    }
    keys
  }
}
