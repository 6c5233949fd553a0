package chronosketch.spark.sliding.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, WindowExpression}
import org.apache.spark.sql.types.DataType

import chronosketch.spark.sliding.frames.FrameBounds
import chronosketch.spark.sliding.structures.{AnswerForm, BeyondExact, FrameStatistic, StructureKind}

/** A function over a window, as the operator runs it: worked out once, when the query is planned.
  *
  * It stands in the plan in place of the window expression. It is an expression so that Spark sees and rewrites what is in it.
  *
  * @param source     the window expression, or what the query makes of it
  * @param elements   the values that it takes in, as keys or bytes: the first is NULL where a row has none, or does not pass the filter
  * @param statistics what is asked; none for a φ that is NULL
  * @param form       how the answer is read
  * @param beyond     how frames too large to be kept are answered; none where all are answered exactly
  * @param refused    why the structure that the setting names is not the one that slides
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

  /** The structure that slides, for EXPLAIN. */
  def structureText: String =
    (kind.text +: beyond.map(_.text).toSeq).mkString(", ") + refused.fold("")(why => s" (not $why)")

  /** Whether the query takes the answer as it is. */
  def isWhole: Boolean = source match {
    case _: WindowExpression => true
    case _ => false
  }

  /** What the query makes of the answer. */
  def result(answer: Expression): Expression = source.transform { case _: WindowExpression => answer }

  override def eval(row: InternalRow): Any = throw new UnsupportedOperationException(toString)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    throw new UnsupportedOperationException(toString)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): SlidingCall =
    copy(source = c.head, elements = c.tail)
}
