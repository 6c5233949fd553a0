package chronosketch.spark.aggregate.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.Refusal
import chronosketch.grouped.{GroupedInserts, GroupedRows, GroupedSummaries, GroupedTimed, GroupedUnions}
import chronosketch.memory.Meter
import chronosketch.spark.aggregate.{PairedValues, SketchColumn, StoredSketches, TimedValues, Values}
import chronosketch.spark.memory.AggregateMemory
import chronosketch.spark.sql.SparkPrivates
import chronosketch.summary.{InsertsPairs, Summary, TimedRows}

/** The groups of one task: filled row by row, then drained group by group.
  *
  * Memory  asked of Spark. Where it is refused, a partial aggregation is drained early and filled anew; a final one is written
  *         to disk, sorted by key, and united at the end
  */
final class AggregateState(spec: AggregateSpec) {
  private val meter = new Meter
  private val keys: GroupKeys =
    if (!spec.isKeyed) OneGroup
    else if (spec.hasLongKeys) new KeyTuples(spec.keys, meter)
    else new RowKeys(spec.keys.length, meter)
  // a column's summaries, and again by what they take: null at the columns that take something else
  private val summaries = new Array[GroupedSummaries[_ <: Summary]](spec.columns.length)
  private val insertsOf = new Array[GroupedInserts](spec.columns.length)
  private val timedOf = new Array[GroupedTimed](spec.columns.length)
  private val pairsOf = new Array[GroupedRows[InsertsPairs]](spec.columns.length)
  private val task = TaskContext.get()
  spec.columns.zipWithIndex.foreach { case (column, i) =>
    summaries(i) = column.collected match {
      case Values(recipe, _) =>
        insertsOf(i) = new GroupedInserts(recipe.inPart(task.partitionId()), meter); insertsOf(i)
      case TimedValues(recipe, _) =>
        timedOf(i) = new GroupedTimed(recipe.inPart(task.partitionId()), meter); timedOf(i)
      case PairedValues(recipe, _) =>
        pairsOf(i) = new GroupedRows(recipe.inPart(task.partitionId()), meter); pairsOf(i)
      case StoredSketches => new GroupedUnions(meter)
    }
  }
  private val buffers: BufferRows =
    if (spec.initial.isEmpty) null else new BufferRows(spec.initialBuffer, meter)
  private val rowBatch: RowBatch =
    if (spec.isBatched) new RowBatch(keyTuples.groups, batchColumns, this, meter) else null
  private val memory = new AggregateMemory(SparkPrivates.memoryOf(task), meter)
  private var spill: SpilledGroups = null

  private var draining = false
  private var exhausted = false
  private var position = 0
  private val sketchBytes = spec.metrics("sketchBytes")
  private var inputRows = 0L

  task.addTaskCompletionListener[Unit] { _ =>
    if (spill != null) spill.free()
    memory.release()
  }

  private def batchColumns: Array[BatchColumn] = Array.tabulate(spec.columns.length)(i =>
    if (timedOf(i) == null) new ValueColumn(insertsOf(i)) else new TimedColumn(timedOf(i))
  )

  def keyTuples: KeyTuples = keys.asInstanceOf[KeyTuples]
  def rowKeys: RowKeys = keys.asInstanceOf[RowKeys]
  def groupKeys: GroupKeys = keys

  /** Of a column of values. */
  def inserts(column: Int): GroupedInserts = insertsOf(column)

  /** Of a column of values and their times. */
  def timed(column: Int): GroupedTimed = timedOf(column)

  /** Of a column of pairs. */
  def pairs(column: Int): GroupedRows[InsertsPairs] = pairsOf(column)
  def buffer(group: Int): UnsafeRow = buffers.row(group)

  /** Where generated code puts its rows if [[AggregateSpec.isBatched]]. */
  def batch: RowBatch = rowBatch

  def flush(): Unit = inputRows += rowBatch.flush()

  def countRows(n: Int): Unit = inputRows += n

  /** After a row: whether more is held than there is memory for. */
  def isFull: Boolean = memory.isExhausted && keys.size > 1

  /** Full: starts to drain, or frees the memory by itself. */
  def relieve(): Unit =
    if (spec.flushesPartially) {
      // numbers of their keys are forgotten with the groups
      if (rowBatch != null) flush()
      spec.metrics("partialFlushes").add(1)
      draining = true
      memory.leave()
    } else writeOut()

  private def writeOut(): Unit = {
    memory.leave()
    if (spill == null) spill = new SpilledGroups(spec)
    spill.write(this)
    clear()
  }

  def isDraining: Boolean = draining
  def isExhausted: Boolean = exhausted

  /** All rows have been seen. */
  def finish(): Unit = {
    if (rowBatch != null) flush()
    if (spill != null && keys.size > 0) writeOut()
    exhausted = true
    draining = true
    memory.leave()
    spec.metrics("numInputRows").add(inputRows)
    spec.metrics("peakMemory").add(memory.peakBytes)
    if (spill != null) spec.metrics("spillSize").add(spill.bytes)
  }

  /** The next group to be drained, -1 after the last: then the state is empty again. */
  def next(): Int =
    if (spill != null) {
      clear()
      if (spill.unite(this)) 0 else end()
    } else if (position < keys.size) {
      if (position > 0) forget(position - 1)
      position += 1
      position - 1
    } else end()

  /** Of a group that has gone out. */
  def forget(group: Int): Unit = {
    var i = 0
    while (i < summaries.length) { summaries(i).forget(group); i += 1 }
  }

  private def end(): Int = {
    clear()
    draining = false
    -1
  }

  private def clear(): Unit = {
    keys.clear()
    summaries.foreach(_.clear())
    if (buffers != null) buffers.clear()
    memory.release()
    position = 0
  }

  /** The bytes of a group's summary, or what stands for them in an intermediate result; none where a union has seen no sketch. */
  def seal(column: Int, group: Int): Array[Byte] = {
    val bytes =
      try if (spec.columns(column).handsRows) summaries(column).sealPart(group)
        else summaries(column).seal(group)
      catch { case refusal: Refusal => throw refused(column, refusal) }
    if (bytes == null) AggregateState.NoSketch
    else {
      sketchBytes.add(bytes.length)
      bytes
    }
  }

  /** What a function answers of a group. */
  def answer(index: Int, group: Int): Any = {
    val asked = spec.asked(index)
    asked.of(summaries(asked.column), group)
  }

  def insert(column: Int, group: Int, key: Long, copies: Long): Unit =
    try inserts(column).insert(group, key, SketchColumn.natural(copies))
    catch { case refusal: Refusal => throw refused(column, refusal) }

  /** Of a summary of times. */
  def insertTimed(column: Int, group: Int, key: Long, time: Long, passed: Int): Unit =
    try timed(column).summary(group).insert(key, time, passed)
    catch { case refusal: Refusal => throw refused(column, refusal) }

  /** Of a summary of times that is told which row it is. */
  def insertRow(column: Int, group: Int, key: Long, time: Long, id: Long): Unit =
    try timed(column).summary(group) match {
        case told: TimedRows => told.insertRow(key, time, id)
        case other => throw new IllegalStateException(s"${other.family} tells no rows apart")
      }
    catch { case refusal: Refusal => throw refused(column, refusal) }

  /** Of a summary of pairs. */
  def insertPair(column: Int, group: Int, key: Long, other: Long): Unit =
    try pairs(column).summary(group).insertPair(key, other)
    catch { case refusal: Refusal => throw refused(column, refusal) }

  /** Of an intermediate result: no bytes stand for a union of nothing. */
  def merge(column: Int, group: Int, bytes: Array[Byte]): Unit =
    if (bytes.length > 0)
      try summaries(column).mergePart(group, bytes)
      catch { case refusal: Refusal => throw refused(column, refusal) }

  /** Stored bytes: none at all is no sketch. */
  def mergeStored(column: Int, group: Int, bytes: Array[Byte]): Unit =
    try summaries(column).merge(group, bytes)
    catch { case refusal: Refusal => throw refused(column, refusal) }

  def refused(column: Int, refusal: Refusal): RuntimeException = spec.columns(column).refused(refusal)
}

private object AggregateState {
  val NoSketch = new Array[Byte](0)
}
