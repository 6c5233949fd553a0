package chronosketch.spark.sliding.rows

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, SortOrder, UnsafeRow}
import org.apache.spark.sql.types.BinaryType

/** Describes how input rows are read and sorted. All expressions are bound to the input.
  *
  * @param width         columns of the input
  * @param wide          an input row with room for its answers
  * @param partitionKeys PARTITION BY
  * @param orderKey      64 bits that sort like ORDER BY, except for the NULLs of a single column; None if it does not fit 64 bits
  * @param elements      the values that functions insert, as keys or bytes; NULL if the row has none
  * @param sort          partition keys and ORDER BY
  * @param order         ORDER BY alone
  * @param isOrdered     whether the input is already sorted by `sort`
  * @param comparesPeers whether a frame needs the peers of a row, and there is no order key to tell them by
  * @param isRanged      whether the input is a range and its halo. Then each row has its place after its columns, where its first
  *                      answer will be
  */
final case class RowSpec(
    width: Int,
    wide: Seq[Expression],
    partitionKeys: Seq[Expression],
    orderKey: Option[Expression],
    nullsFirst: Boolean,
    elements: Seq[Expression],
    sort: Seq[SortOrder],
    order: Seq[SortOrder],
    isOrdered: Boolean,
    comparesPeers: Boolean,
    isRanged: Boolean
) {

  /** Whether our own radix sort is used: the input is not sorted yet, and the order key and each element are 64 bits. */
  def sortsItself: Boolean =
    !isOrdered && (order.isEmpty || orderKey.nonEmpty) && !elementsOfBytes.contains(true)

  /** Whether a row with room for its answers has the bytes of the input row, followed by NULLs. */
  def canWiden: Boolean = {
    val columns = wide.take(width)
    !isRanged && columns.forall(e => UnsafeRow.isFixedLength(e.dataType)) && columns.zipWithIndex.forall {
      case (BoundReference(place, _, _), i) => place == i
      case _ => false
    } && UnsafeRow.calculateBitSetWidthInBytes(wide.length) == UnsafeRow.calculateBitSetWidthInBytes(width)
  }

  /** Whether each element is a byte array. */
  def elementsOfBytes: Array[Boolean] = elements.map(_.dataType == BinaryType).toArray

  /** The columns of a row's record: its order key and elements. */
  def columns: Seq[Expression] = orderKey.toSeq ++ elements

  def hasNulls: Boolean = columns.exists(_.nullable)
}
