package chronosketch.spark.sliding.functions

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}

import chronosketch.spark.sliding.frames.FrameBounds

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
