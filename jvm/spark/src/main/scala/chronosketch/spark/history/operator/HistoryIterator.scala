package chronosketch.spark.history.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeProjection, UnsafeRow}

import chronosketch.memory.Meter
import chronosketch.spark.memory.AggregateMemory
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
  private val task = TaskContext.get()
  private val memory = new AggregateMemory(SparkPrivates.memoryOf(task), meter)
  task.addTaskCompletionListener[Unit](_ => memory.release())
  keysOf.initialize(partition)

  // the first row of the next group
  private var ahead: InternalRow = if (rows.hasNext) rows.next() else null
  // without keys there is one group even if there are no rows
  private var isOwed = spec.keys.isEmpty && ahead == null

  def hasNext: Boolean = ahead != null || isOwed

  def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException("no group is left")
    isOwed = false
    var i = 0
    while (i < histories.length) { histories(i).start(); i += 1 }
    val keys = if (ahead == null) InternalRow.empty else addGroup()
    val answers = new Array[Any](histories.length)
    i = 0
    while (i < answers.length) { answers(i) = histories(i).finish(); i += 1 }
    spec.rowsOut.add(1)
    if (ahead == null) spec.peakMemory.add(memory.peakBytes)
    output(joined(keys, new GenericInternalRow(answers)))
  }

  /** Adds all rows of the group that starts with `ahead`, and returns its keys. */
  private def addGroup(): InternalRow = {
    val keys = keysOf(ahead).copy()
    var isSame = true
    while (isSame) {
      if (!ahead.isNullAt(spec.version)) {
        val version = ahead.getLong(spec.version)
        var i = 0
        while (i < histories.length) { histories(i).add(ahead, version); i += 1 }
        memory.ask()
      }
      ahead = if (rows.hasNext) rows.next() else null
      isSame = ahead != null && keysOf(ahead) == keys
    }
    keys
  }
}
