package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, SortOrder}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.{BinaryType, LongType}

/** What slides: elements, each row's frame of them, and what is asked.
  *
  * @param elements  whose NULLs are no elements, then what stands beside them
  * @param certified how frames are answered that are too large for it; none where all are exact
  */
final case class Structure(
    kind: SlidingKind,
    elements: Seq[Int],
    frame: Int,
    certified: Option[Certified],
    asks: Seq[Ask]
)

/** All that a task must know.
  *
  * @param width     columns of the input
  * @param wide      a row of the input with room for its answers; bound to the input
  * @param groupKeys the partition keys; bound to the input
  * @param orderKey  64 bits that sort as ORDER BY does, NULLs of one column aside; none where there are none such; bound to the input
  * @param elements  keys of the values, or bytes, NULL where a row has none; bound to the input
  * @param sort      partition keys and ORDER BY; bound to the input
  * @param order     ORDER BY alone; bound to the input
  * @param isOrdered whether the input is sorted so
  * @param isRanged  whether the input is a range and its halo, with the rows' places behind their columns
  * @param result    a row with its answers where these are not all set in the row; bound to the wide row, then the answers
  */
final case class SlidingSpec(
    width: Int,
    wide: Seq[Expression],
    groupKeys: Seq[Expression],
    orderKey: Option[Expression],
    nullsFirst: Boolean,
    elements: Seq[Expression],
    frames: Seq[FrameBounds],
    structures: Seq[Structure],
    answers: Seq[SlidingAnswer],
    sort: Seq[SortOrder],
    order: Seq[SortOrder],
    isOrdered: Boolean,
    result: Option[Seq[Expression]],
    metrics: Map[String, SQLMetric],
    isRanged: Boolean = false
) {

  /** Of a range and its halo: a row's place, behind its columns, stands where the first answer will be. */
  def ranged: SlidingSpec =
    copy(wide = wide.updated(width, BoundReference(width, LongType, nullable = false)), isRanged = true)

  /** Whether rows can be sorted by their group and 64 bits, and all that is kept beside them are 64 bits. */
  def sortsItself: Boolean =
    !isOrdered && (order.isEmpty || orderKey.nonEmpty) && !elementsOfBytes.contains(true)

  /** Of each element whether it is bytes. */
  def elementsOfBytes: Array[Boolean] = elements.map(_.dataType == BinaryType).toArray

  /** What is kept of a row beside it. */
  def columns: Seq[Expression] = orderKey.toSeq ++ elements

  def hasNulls: Boolean = columns.exists(_.nullable)

  /** Whether rows that ORDER BY does not tell apart must be known, and no key says so. */
  def comparesPeers: Boolean =
    orderKey.isEmpty && order.nonEmpty && frames.exists(f => f.lower == Peers || f.upper == Peers)
}
