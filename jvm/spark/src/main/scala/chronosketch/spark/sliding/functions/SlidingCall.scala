package chronosketch.spark.sliding.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  DeclarativeAggregate
}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.DataType

import chronosketch.spark.aggregate.{ExtremeValues, SketchFunction}
import chronosketch.spark.sliding.frames.{FrameBounds, Unbounded}
import chronosketch.spark.sliding.structures.{AnswerForm, Approximation, FrameStatistic, Structure}

/** A function over a window in the form that the operator runs. It is derived once, when the query is planned.
  *
  * It replaces the window expression in the plan. It is an expression so that Spark sees and rewrites its children.
  *
  * @param source        the window expression, or an expression of the query that contains it
  * @param elements      the values that it inserts, as keys or bytes. The first is NULL if the row has no element or fails the filter
  * @param statistics    the statistics to answer; None for a φ that is NULL
  * @param form          how the answer is read
  * @param approximation answers frames that are too large to be kept; None if all frames are answered exactly
  * @param refused       why the structure that the setting names is not used
  */
final case class SlidingCall(
    source: Expression,
    elements: Seq[Expression],
    frame: FrameBounds,
    structure: Structure[_ <: FrameStatistic],
    statistics: Seq[Option[FrameStatistic]],
    form: AnswerForm,
    approximation: Option[Approximation],
    refused: Option[String]
) extends Expression {

  override def children: Seq[Expression] = source +: elements
  override def dataType: DataType = source.dataType
  override def nullable: Boolean = source.nullable
  override def toString: String = source.toString
  override def sql: String = source.sql

  /** The structure that is used, for EXPLAIN. */
  def structureText: String = {
    val names = structure.text +: approximation.map(_.text).toSeq
    names.mkString(", ") + refused.fold("")(why => s" (not $why)")
  }

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

object SlidingCall {

  /** The call of a function over a window, or why Spark's own operator must run it. */
  def of(
      window: WindowCall,
      order: Seq[SortOrder],
      zone: String,
      choice: StructureChoice
  ): Either[String, SlidingCall] =
    if (window.call.isDistinct) Left("it is DISTINCT")
    else
      window.frame(order, zone).flatMap { frame =>
        window.function match {
          case ours: SketchFunction => SketchCalls.of(window, ours, frame, choice)
          case ends: ExtremeValues => SketchCalls.ofExtremes(window, ends, frame, choice)
          case _ => callOfSpark(window, frame, choice)
        }
      }

  private def callOfSpark(
      window: WindowCall,
      frame: FrameBounds,
      choice: StructureChoice
  ): Either[String, SlidingCall] =
    for {
      _ <- slides(window, frame)
      sliding <- SparkFunctions.sliding(window.function)
    } yield {
      val statistics =
        if (sliding.statistics.size == 1) sliding.statistics.map(choice.ofNumbers) else sliding.statistics
      val structure = statistics.head.structure
      SlidingCall(
        window.source,
        window.filtered(sliding.elements.head) +: sliding.elements.tail,
        frame,
        structure,
        statistics.map(Some(_)),
        sliding.form,
        None,
        choice.refusedFor(sliding.statistics.head)
      )
    }

  /** Checks that our operator pays off. For a frame that only grows it does if Spark's operator evaluates each row from scratch. */
  private def slides(window: WindowCall, frame: FrameBounds): Either[String, Unit] = window.function match {
    case _: DeclarativeAggregate => FrameBounds.slides(frame)
    case _ if frame.upper == Unbounded => FrameBounds.slides(frame)
    case _ => Right(())
  }
}

/** An aggregate function over a window in a query.
  *
  * @param source the window expression, or an expression of the query that contains it
  */
final case class WindowCall(call: AggregateExpression, window: WindowSpecDefinition, source: Expression) {
  def function: AggregateFunction = call.aggregateFunction

  /** The frame's bounds, or why the operator doesn't support the frame. */
  def frame(order: Seq[SortOrder], zone: String): Either[String, FrameBounds] =
    window.frameSpecification match {
      case frame: SpecifiedWindowFrame => FrameBounds.of(frame, order, zone)
      case other => Left(s"its frame is ${other.sql}")
    }

  /** The element, or NULL if the row fails the filter. */
  def filtered(element: Expression): Expression =
    call.filter.fold(element)(If(_, element, Literal(null, element.dataType)))
}

object WindowCall {

  /** None if it is not one aggregate function over a window, or if the rest of the expression needs other columns. */
  def of(e: Expression): Option[WindowCall] = e match {
    case Alias(source, _) =>
      source.collect { case w: WindowExpression => w } match {
        case Seq(w @ WindowExpression(call: AggregateExpression, window)) =>
          val rest = if (source eq w) Literal(null) else source.transform { case `w` => Literal(null) }
          Option.when(rest.references.isEmpty)(WindowCall(call, window, source))
        case _ => None
      }
    case _ => None
  }
}
