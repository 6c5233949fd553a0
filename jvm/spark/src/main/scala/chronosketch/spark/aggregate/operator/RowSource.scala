package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.InternalRow

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
