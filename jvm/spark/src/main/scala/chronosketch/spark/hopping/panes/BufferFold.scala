package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate

import chronosketch.sliding.fold.Fold

/** Merges the aggregation buffers of declarative functions. Element i is the buffer after row i alone. */
private[spark] final class BufferFold(
    functions: Seq[DeclarativeAggregate],
    input: Seq[Attribute],
    rows: Int => InternalRow
) extends Fold[InternalRow] {
  private val buffer = functions.flatMap(_.aggBufferAttributes)
  private val initial = MutableProjection.create(functions.flatMap(_.initialValues), Nil)
  private val update = MutableProjection.create(functions.flatMap(_.updateExpressions), buffer ++ input)
  private val both = MutableProjection.create(
    functions.flatMap(_.mergeExpressions),
    buffer ++ functions.flatMap(_.inputAggBufferAttributes)
  )
  private val pair = new JoinedRow

  def element(i: Int): InternalRow = {
    val values = new GenericInternalRow(buffer.length)
    initial.target(values)(InternalRow.empty)
    update.target(values)(pair(values, rows(i)))
    values
  }

  // a merge replaces the values of a buffer and does not change them, so that copies may share them
  def copy(joint: InternalRow): InternalRow =
    new GenericInternalRow(joint.asInstanceOf[GenericInternalRow].values.clone())

  def merge(older: InternalRow, newer: InternalRow): InternalRow = {
    both.target(older)(pair(older, newer))
    older
  }
}
