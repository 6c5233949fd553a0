package chronosketch.spark.aggregate.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.Refusal
import chronosketch.grouped.{GroupedInserts, GroupedSummaries, GroupedTimed}
import chronosketch.memory.Meter
import chronosketch.spark.aggregate.RowReader
import chronosketch.spark.memory.AggregateMemory
import chronosketch.spark.rows.{GroupKeys, KeyTuples, OneGroup, RowKeys, RowLimit}
import chronosketch.spark.sql.SparkPrivates
import chronosketch.summary.Summary

/** Holds the groups of one task: filled row by row, then drained group by group.
  *
  * Memory  requested from Spark. If Spark refuses, a partial aggregation is drained early and filled again; a final one is spilled
  *         to disk, sorted by key, and merged at the end. Only if the parts of a single group find no memory, they are merged before
  *         all have arrived
  */
final class AggregateState(spec: AggregateSpec, part: Int) {
  private val meter = new Meter
  private val keys: GroupKeys =
    if (!spec.isKeyed) OneGroup
    else if (spec.numbersKeys) new KeyTuples(spec.keys, meter)
    else new RowKeys(spec.keys.length, meter)
  private val task = TaskContext.get()
  private val cancellation = SparkPrivates.cancellationOf(task)
  private val columns = spec.columns.toArray
  private val summariesOf: Array[GroupedSummaries[_ <: Summary]] =
    columns.map(_.kind.newSummaries(part, meter))
  private val buffers: BufferRows =
    if (spec.initial.isEmpty) null else new BufferRows(spec.initialBuffer, meter)
  private val rowBatch: RowBatch =
    if (spec.isBatched) new RowBatch(keyTuples.groups, batchColumns, this, meter) else null
  private val memory = new AggregateMemory(SparkPrivates.memoryOf(task), meter)
  private var spill: SpilledGroups = null

  private var draining = false
  private var exhausted = false
  private var position = 0

  // the order in which groups are drained, as the lower halves of its entries; null if it does not matter
  private var order: Array[Long] = null
  private val sketchBytes = spec.metrics("sketchBytes")
  private var inputRows = 0L

  // the bytes of the sketches that the group being drained has had so far
  private val rowLimit = new RowLimit
  private var rowBytes = 0L

  task.addTaskCompletionListener[Unit] { _ =>
    if (spill != null) spill.free()
    memory.release()
  }

  private def batchColumns: Array[BatchColumn] = summariesOf.map {
    case timed: GroupedTimed => new TimedColumn(timed)
    case values: GroupedInserts => new ValueColumn(values)
    case other => throw new IllegalStateException(s"not batched: $other")
  }

  def keyTuples: KeyTuples = keys.asInstanceOf[KeyTuples]
  def rowKeys: RowKeys = keys.asInstanceOf[RowKeys]
  def groupKeys: GroupKeys = keys

  /** The summaries of a column. */
  def summaries(column: Int): GroupedSummaries[_ <: Summary] = summariesOf(column)
  def buffer(group: Int): UnsafeRow = buffers.row(group)

  /** The buffer of rows, if [[AggregateSpec.isBatched]]. */
  def batch: RowBatch = rowBatch

  /** Inserts the buffered rows. */
  def flush(): Unit = {
    endIfKilled()
    inputRows += rowBatch.flush()
  }

  /** The memory of the groups, as it is requested from Spark. */
  private[operator] def heldBytes: Long = meter.bytes

  def countRows(n: Int): Unit = inputRows += n

  /** Requests memory for the groups; called after each row. Returns false if Spark refuses and there is something to give up. */
  def requestMemory(): Boolean =
    memory.request() || (keys.size <= 1 && !hasWaiting && !summariesOf.exists(_.hasKept))

  /** Whether rows are buffered. Their groups are not counted yet, but texts of their keys are held already. */
  private def hasWaiting: Boolean = rowBatch != null && rowBatch.row > 0

  /** Gives up the groups if memory is refused: a partial aggregation starts to drain, a final one spills. The parts of a single group are
    * merged.
    */
  def freeOrSpill(): Unit = {
    // flush first: draining clears the key numbers that buffered rows refer to
    if (hasWaiting) flush()
    if (keys.size <= 1) {
      var i = 0
      while (i < columns.length) { mergeKept(i, 0); i += 1 }
    } else if (spec.flushesPartially) {
      spec.metrics("partialFlushes").add(1)
      draining = true
      memory.markReleasable()
    } else writeOut()
  }

  private def writeOut(): Unit = {
    memory.markReleasable()
    if (spill == null) spill = new SpilledGroups(spec)
    spill.write(this)
    clear()
  }

  def isDraining: Boolean = draining
  def isExhausted: Boolean = exhausted

  /** Ends the input: spills the rest if groups were spilled, and starts to drain. */
  def finish(): Unit = {
    if (rowBatch != null) flush()
    if (spill != null && keys.size > 0) writeOut()
    exhausted = true
    draining = true
    memory.markReleasable()
    spec.metrics("numInputRows").add(inputRows)
    spec.metrics("peakMemory").add(memory.peakBytes)
    if (spill != null) spec.metrics("spillSize").add(spill.bytes)
  }

  /** Ends the task if Spark has killed it. Whoever reads the groups, such as a shuffle, does not check. */
  def endIfKilled(): Unit = SparkPrivates.endIfKilled(task)

  /** Returns the next group to drain, or -1 after the last; then the state is empty again. */
  def next(): Int = {
    endIfKilled()
    rowBytes = 0L
    if (spill != null) {
      clear()
      if (spill.unite(this)) 0 else end()
    } else if (position < keys.size) {
      if (position == 0) sortGroups() else forget(groupAt(position - 1))
      position += 1
      groupAt(position - 1)
    } else end()
  }

  private def groupAt(place: Int): Int = if (order == null) place else order(place).toInt

  private def sortGroups(): Unit = if (spec.sortsGroups) {
    meter.add(Meter.longs(keys.size))
    order = GroupKeys.sorted(keys, spec.keys)
  }

  /** Frees the summaries of a group that has been output. */
  def forget(group: Int): Unit = {
    var i = 0
    while (i < summariesOf.length) { summariesOf(i).forget(group); i += 1 }
  }

  private def end(): Int = {
    clear()
    draining = false
    -1
  }

  private def clear(): Unit = {
    keys.clear()
    summariesOf.foreach(_.clear())
    if (buffers != null) buffers.clear()
    if (order != null) meter.add(-Meter.longs(order.length))
    order = null
    memory.release()
    position = 0
  }

  /** Encodes a group's summary, or its rows if [[SketchColumn.handsRows]]. The result is empty if a union has received no sketch. */
  def seal(column: Int, group: Int): Array[Byte] = {
    mergeKept(column, group)
    val bytes =
      try if (columns(column).handsRows) summaries(column).sealPart(group)
        else summaries(column).seal(group)
      catch { case refusal: Refusal => throw refused(column, refusal) }
    if (bytes == null) AggregateState.NoSketch
    else {
      sketchBytes.add(bytes.length)
      countBytes(bytes)
      bytes
    }
  }

  private def mergeKept(column: Int, group: Int): Unit =
    try summaries(column).mergeKept(group, cancellation)
    catch { case refusal: Refusal => throw refused(column, refusal) }

  /** Removes what a group has in a column, and returns it as parts for [[merge]]. */
  def takeParts(column: Int, group: Int): Array[Array[Byte]] =
    try summaries(column).takeParts(group, AggregateState.MostSpilledBytes)
    catch { case refusal: Refusal => throw refused(column, refusal) }

  /** The answer of a function call for a group. */
  def answer(index: Int, group: Int): Any = {
    val call = spec.calls(index)
    mergeKept(call.column, group)
    val answer = call.evaluate(summaries(call.column), group)
    countBytes(answer)
    answer
  }

  /** Counts the bytes of an answer that is a sketch. Refuses a row with too many. */
  private def countBytes(answer: Any): Unit = {
    rowBytes += RowLimit.sketchBytes(answer)
    rowLimit.require(rowBytes)
  }

  /** Inserts the row that the reader of a column has read. */
  def insert(column: Int, group: Int, row: RowReader): Unit =
    try row.kind.insert(summaries(column), group, row)
    catch { case refusal: Refusal => throw refused(column, refusal) }

  /** Merges an intermediate result. Empty bytes are a union that has received no sketch. */
  def merge(column: Int, group: Int, bytes: Array[Byte]): Unit =
    if (bytes.length > 0)
      try
        if (spec.keepsParts) summaries(column).keepPart(group, bytes)
        else summaries(column).mergePart(group, bytes)
      catch { case refusal: Refusal => throw refused(column, refusal) }

  /** Merges a stored sketch. Unlike in [[merge]], empty bytes are not valid. */
  def mergeStored(column: Int, group: Int, bytes: Array[Byte]): Unit = {
    // a scan only checks between batches, and merging one batch of sketches can take seconds
    endIfKilled()
    try
      if (spec.keepsStored) summaries(column).keepStored(group, bytes)
      else summaries(column).merge(group, bytes)
    catch { case refusal: Refusal => throw refused(column, refusal) }
  }

  def refused(column: Int, refusal: Refusal): RuntimeException = columns(column).refused(refusal)
}

private[operator] object AggregateState {
  val NoSketch = new Array[Byte](0)

  /** The most bytes of a group's parts that are spilled as one row, if they are several. */
  val MostSpilledBytes: Int = 1 << 20
}
