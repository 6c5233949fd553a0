package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Aggregates one partition without generated code. */
final class AggregateIterator private (
    spec: AggregateSpec,
    state: AggregateState,
    aggregator: RowRules.Aggregator,
    source: RowSource
) extends Iterator[UnsafeRow] {
  private val width = if (spec.isFinal) spec.calls.length else spec.columns.length
  private var group = -1

  /** Advances to the next group, or sets the group to -1 at the end. */
  private def advance(): Unit = {
    if (state.isDraining) group = state.next()
    while (group < 0 && !state.isExhausted) {
      fill()
      group = state.next()
    }
  }

  private def fill(): Unit = {
    val started = System.nanoTime()
    while (!state.isDraining && source.hasNext) {
      source.put()
      if (!state.requestMemory()) state.freeOrSpill()
    }
    if (!state.isDraining) state.finish()
    spec.metrics("aggTime").add((System.nanoTime() - started) / 1000000)
  }

  private var hasAdvanced = false

  override def hasNext: Boolean = {
    if (!hasAdvanced) {
      advance()
      hasAdvanced = true
    }
    group >= 0
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException("no group is left")
    hasAdvanced = false
    spec.metrics("numOutputRows").add(1)
    aggregator.result(group, width)
  }
}

object AggregateIterator {

  /** Aggregates rows one by one. */
  def ofRows(spec: AggregateSpec, partition: Int, rows: Iterator[InternalRow]): AggregateIterator = {
    val state = spec.newState()
    val aggregator = spec.rows.into(state, partition)
    new AggregateIterator(spec, state, aggregator, new SingleRows(state, aggregator, rows))
  }

  /** Aggregates a source that fills the state itself. */
  def of(spec: AggregateSpec, partition: Int)(source: AggregateState => RowSource): AggregateIterator = {
    val state = spec.newState()
    new AggregateIterator(spec, state, spec.rows.into(state, partition), source(state))
  }
}

/** The input of a task: rows one by one, or many at once. */
trait RowSource {
  def hasNext: Boolean

  /** Inserts the next rows into their groups. */
  def put(): Unit
}

/** Inserts rows one by one. */
private[operator] final class SingleRows(
    state: AggregateState,
    aggregator: RowRules.Aggregator,
    rows: Iterator[InternalRow]
) extends RowSource {
  def hasNext: Boolean = rows.hasNext

  def put(): Unit = {
    aggregator.add(rows.next())
    state.countRows(1)
  }
}
