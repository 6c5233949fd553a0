package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.InternalRow

/** Where the rows of a task come from, one by one or many at once. */
trait RowSource {
  def hasNext: Boolean

  /** Puts the next rows into their groups. */
  def put(): Unit
}

/** Each row by itself. */
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
