package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The aggregation of one partition where code is not generated. */
final class AggregateIterator(spec: AggregateSpec, partition: Int, rows: Iterator[InternalRow])
    extends Iterator[UnsafeRow] {
  private val state = spec.newState()
  private val aggregator = spec.rows.into(state, partition)
  private val width = if (spec.isFinal) spec.asked.length else spec.columns.length
  private var group = -1

  /** Until the next group is there, or none is left. */
  private def advance(): Unit = {
    if (state.isDraining) group = state.next()
    while (group < 0 && !state.isExhausted) {
      fill()
      group = state.next()
    }
  }

  private def fill(): Unit = {
    val started = System.nanoTime()
    while (!state.isDraining && rows.hasNext) {
      aggregator.add(rows.next())
      state.countRow()
      if (state.isFull) state.relieve()
    }
    if (!state.isDraining) state.finish()
    spec.metrics("aggTime").add((System.nanoTime() - started) / 1000000)
  }

  private var looked = false

  override def hasNext: Boolean = {
    if (!looked) {
      advance()
      looked = true
    }
    group >= 0
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException("no group is left")
    looked = false
    spec.metrics("numOutputRows").add(1)
    aggregator.result(group, width)
  }
}
