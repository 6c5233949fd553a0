package chronosketch.spark.sliding.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, WindowExpression}
import org.apache.spark.sql.types.DataType

import chronosketch.spark.sliding.frames.FrameBounds
import chronosketch.spark.sliding.structures.{AnswerForm, BeyondExact, FrameStatistic, StructureKind}

/** A function over a window in the form that the operator runs. It is derived once, when the query is planned.
  *
  * It replaces the window expression in the plan. It is an expression so that Spark sees and rewrites its children.
  *
  * @param source     the window expression, or an expression of the query that contains it
  * @param elements   the values that it inserts, as keys or bytes. The first is NULL if the row has no element or fails the filter
  * @param statistics the statistics to answer; None for a φ that is NULL
  * @param form       how the answer is read
  * @param beyond     how frames that are too large to be kept are answered; None if all frames are answered exactly
  * @param refused    why the structure that the setting names is not used
  */
final case class SlidingCall(
    source: Expression,
    elements: Seq[Expression],
    frame: FrameBounds,
    kind: StructureKind[_ <: FrameStatistic],
    statistics: Seq[Option[FrameStatistic]],
    form: AnswerForm,
    beyond: Option[BeyondExact],
    refused: Option[String]
) extends Expression {

  override def children: Seq[Expression] = source +: elements
  override def dataType: DataType = source.dataType
  override def nullable: Boolean = source.nullable
  override def toString: String = source.toString
  override def sql: String = source.sql

  /** The structure that is used, for EXPLAIN. */
  def structureText: String =
    (kind.text +: beyond.map(_.text).toSeq).mkString(", ") + refused.fold("")(why => s" (not $why)")

  /** Whether the query returns the answer itself, not an expression of it. */
  def isWhole: Boolean = source match {
    case _: WindowExpression => true
    case _ => false
  }

  /** The query's expression of the answer. */
  def result(answer: Expression): Expression = source.transform { case _: WindowExpression => answer }

  override def eval(row: InternalRow): Any = throw new UnsupportedOperationException(toString)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    throw new UnsupportedOperationException(toString)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): SlidingCall =
    copy(source = c.head, elements = c.tail)
}
