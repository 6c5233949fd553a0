package chronosketch.spark.window

import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.expressions.{
  Cast,
  Expression,
  InheritAnalysisRules,
  LessThanOrEqual,
  Literal,
  RuntimeReplaceable
}
import org.apache.spark.sql.types.{LongType, TimestampType}

import chronosketch.spark.sketch.{Ask, SketchQuantile}
import chronosketch.spark.sql.{EventTime, Interpolation, WrittenCall}

/** `approx_window_quantile` of windows that end at a time which no constant gives: a key of the GROUP BY, or a scalar subquery.
  *
  * It is replaced by a question to a window sketch of the rows up to that time. So Spark itself checks that `as_of` has one value in
  * each group.
  */
final case class WindowQuantileAt(parameters: Seq[Expression], replacement: Expression)
    extends RuntimeReplaceable
    with InheritAnalysisRules {
  override def prettyName: String = WindowQuantileAggregate.Name
  override def makeSQLString(childrenSql: Seq[String]): String =
    WrittenCall.shortText(this).getOrElse(super.makeSQLString(childrenSql))
  override protected def withNewChildInternal(newChild: Expression): WindowQuantileAt =
    copy(replacement = newChild)
}

private[window] object WindowQuantileAt {

  /** The replacement of a call. None if the arguments are invalid: the aggregate then has the error. */
  def of(
      arguments: Seq[Expression],
      aggregate: WindowQuantileAggregate,
      asOf: Expression
  ): Option[Expression] = {
    val areValid = aggregate.copy(asOf = None).checkInputDataTypes().isSuccess
    val times = EventTime.of(aggregate.time.dataType)
    val isComparable =
      EventTime.of(asOf.dataType).exists(end => times.exists(_.domain.widen(end.domain).nonEmpty))
    val isAggregate =
      asOf.exists(e => e.isInstanceOf[AggregateFunction] || e.isInstanceOf[AggregateExpression])
    Option.when(areValid && isComparable && !isAggregate) {
      val sketch = aggregate.sketched.toAggregateExpression(
        isDistinct = false,
        filter = Some(isInTime(aggregate.time, asOf))
      )
      val (window, parts) = aggregate.asked
      val taken = Ask.of(
        SketchWindow(window, hasAsOf = true, asSummary = false),
        Seq(sketch, asOf) ++ parts
      )
      val valueType = aggregate.value.dataType match {
        // what TIMESTAMP stands for is a setting of the session
        case TimestampType => "timestamp_ltz"
        case other => other.sql
      }
      WindowQuantileAt(
        arguments,
        Ask.of(
          SketchQuantile,
          Seq(taken, aggregate.phi, Literal(valueType), Literal(Interpolation.Nearest))
        )
      )
    }
  }

  private def isInTime(time: Expression, asOf: Expression): Expression =
    if (EventTime.of(time.dataType).exists(_.domain.kind.isInteger))
      LessThanOrEqual(Cast(time, LongType), Cast(asOf, LongType))
    else LessThanOrEqual(time, asOf)
}
