package chronosketch.spark.sliding.rows

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, SortOrder, UnsafeRow}
import org.apache.spark.sql.types.BinaryType

/** What is done with each row of the input. All expressions are bound to the input.
  *
  * @param width         columns of the input
  * @param wide          a row of the input with room for its answers
  * @param partitionKeys PARTITION BY
  * @param orderKey      64 bits that sort as ORDER BY does, but for the NULLs of a single column; none where there are no such bits
  * @param elements      the values that functions take in, as keys or bytes; NULL where a row has none
  * @param sort          partition keys and ORDER BY
  * @param order         ORDER BY alone
  * @param isOrdered     whether the input is sorted so
  * @param comparesPeers whether a frame needs to know which rows ORDER BY does not tell apart, and no order key says so
  * @param isRanged      whether the input is a range and its halo, with the rows' places behind their columns: there the first answer
  *                      will be
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

  /** Whether rows can be sorted by their partition and 64 bits, and all that is kept beside them are 64 bits. */
  def sortsItself: Boolean =
    !isOrdered && (order.isEmpty || orderKey.nonEmpty) && !elementsOfBytes.contains(true)

  /** Whether a row with room for its answers is the row of the input with NULLs behind it, byte by byte. */
  def canWiden: Boolean = {
    val columns = wide.take(width)
    !isRanged && columns.forall(e => UnsafeRow.isFixedLength(e.dataType)) && columns.zipWithIndex.forall {
      case (BoundReference(place, _, _), i) => place == i
      case _ => false
    } && UnsafeRow.calculateBitSetWidthInBytes(wide.length) == UnsafeRow.calculateBitSetWidthInBytes(width)
  }

  /** Of each element, whether it is bytes. */
  def elementsOfBytes: Array[Boolean] = elements.map(_.dataType == BinaryType).toArray

  /** What is kept beside a row. */
  def columns: Seq[Expression] = orderKey.toSeq ++ elements

  def hasNulls: Boolean = columns.exists(_.nullable)
}
