package chronosketch.spark.aggregate.cube

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeProjection, UnsafeRow}

import chronosketch.spark.aggregate.operator.AggregateSpec

/** Merges the groups of one task, step by step, and outputs a row for each group of each grouping set. */
private[cube] final class GroupingSetsIterator(
    spec: GroupingSetsSpec,
    partition: Int,
    finest: Iterator[InternalRow]
) extends Iterator[UnsafeRow] {
  private val groups = {
    val withSet = new JoinedRow
    val allKeys = InternalRow(spec.allKeys)
    spec.steps.zip(spec.specs).zipWithIndex.foldLeft(finest.map(row => withSet(allKeys, row): InternalRow)) {
      case (rows, ((step, aggregation), i)) =>
        new StepIterator(step, aggregation, partition + ((i + 1) << GroupingSetsIterator.PartitionBits), rows)
    }
  }
  private val projection = UnsafeProjection.create(spec.output)
  private val joined = new JoinedRow
  private var group: InternalRow = null
  private var rows: Iterator[SetValues] = Iterator.empty

  def hasNext: Boolean = rows.hasNext || groups.hasNext

  def next(): UnsafeRow = {
    if (!rows.hasNext) {
      group = groups.next()
      rows = spec.values(group.getLong(0)).iterator
    }
    spec.outputRows.add(1)
    projection(joined(new GenericInternalRow(rows.next().of(group)), group))
  }
}

private object GroupingSetsIterator {

  /** Partitions have smaller numbers than steps, so that each step of each task draws its own random samples. */
  val PartitionBits = 17
}

/** Runs one step: passes the groups on that keep the step's keys, and merges groups without them. These follow at the end, or if memory is
  * short. A group has the bits of its keys, the keys, and the partial results.
  */
private final class StepIterator(
    step: MergeOrder.Step,
    spec: AggregateSpec,
    part: Int,
    groups: Iterator[InternalRow]
) extends Iterator[InternalRow] {
  private val state = spec.newState(part)
  private val aggregator = spec.rows.into(state, part)
  private val width = spec.columns.length
  private var waiting: InternalRow = null

  def hasNext: Boolean = {
    if (waiting == null) waiting = advance()
    waiting != null
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no group is left")
    val group = waiting
    waiting = null
    group
  }

  /** The next group, or null at the end. */
  private def advance(): InternalRow = {
    var found: InternalRow = null
    while (found == null && (state.isDraining || !state.isExhausted))
      if (state.isDraining) {
        val merged = state.next()
        if (merged >= 0) found = aggregator.result(merged, width)
      } else if (groups.hasNext) {
        val group = groups.next()
        val keys = group.getLong(0)
        if (step.merge(keys)) merge(group)
        if (step.keep(keys)) found = group
      } else state.finish()
    found
  }

  private def merge(group: InternalRow): Unit = {
    aggregator.add(group)
    state.countRows(1)
    if (!state.requestMemory()) state.freeOrSpill()
  }
}
