package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.DataType

import chronosketch.rank.Phi
import chronosketch.spark.{Phis, SqlValues}

/** What slides: elements, each row's frame of them, and which quantiles are asked. */
final case class Structure(element: Int, frame: Int, phis: Seq[Phi])

/** One column of answers.
  *
  * @param structure which structure has them
  * @param places    of each φ of the call, its place in the structure's
  * @param isBounds  whether low and high are answered: of an exact answer the same
  */
final case class SlidingAnswer(
    structure: Int,
    places: Seq[Int],
    phis: Phis,
    isBounds: Boolean,
    valueType: DataType,
    dataType: DataType
) {
  @transient lazy val values: SqlValues = SqlValues.of(valueType).get

  /** Whether it takes the place of any other answer: then it is set in the row. */
  def isPlain: Boolean = dataType == valueType
}

/** All that a task must know.
  *
  * @param width     columns of the input
  * @param wide      a row of the input with room for its answers; bound to the input
  * @param groupKeys the partition keys; bound to the input
  * @param orderKey  64 bits that sort as ORDER BY does, NULLs aside; none where there are none such; bound to the input
  * @param elements  keys of the values, NULL where a row has none; bound to the input
  * @param sort      partition keys and ORDER BY; bound to the input
  * @param order     ORDER BY alone; bound to the input
  * @param isOrdered whether the input is sorted so
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
    metrics: Map[String, SQLMetric]
) {

  /** Whether rows can be sorted by their group and 64 bits. */
  def sortsItself: Boolean = !isOrdered && (order.isEmpty || orderKey.nonEmpty)

  /** What is kept of a row beside it. */
  def columns: Seq[Expression] = orderKey.toSeq ++ elements

  def hasNulls: Boolean = columns.exists(_.nullable)

  /** Whether rows that ORDER BY does not tell apart must be known, and no key says so. */
  def comparesPeers: Boolean =
    orderKey.isEmpty && order.nonEmpty && frames.exists(f => f.lower == Peers || f.upper == Peers)
}
