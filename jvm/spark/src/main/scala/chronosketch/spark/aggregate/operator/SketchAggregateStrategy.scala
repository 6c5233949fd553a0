package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}

import chronosketch.spark.aggregate.{AggregateConf, SketchFunction}
import chronosketch.spark.sql.SparkPrivates

/** Plans aggregations with a function of chronosketch in our operator. Aggregations that it does not support are left to Spark's
  * operator, and EXPLAIN says why. Streaming aggregations have operators of their own and are never planned here.
  */
object SketchAggregateStrategy extends SparkStrategy {

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case aggregate: Aggregate if !aggregate.isStreaming && AggregateStages.hasOurs(aggregate) =>
      aggregate match {
        case PhysicalAggregation(grouping, functions, results, child) =>
          whyNot(grouping, functions) match {
            case None => Seq(planned(grouping, functions, results, child))
            // planned again with the reason noted, the plan then passes to Spark's own strategy
            case Some(why) if functions.forall(isNoted) => Seq(planLater(noted(aggregate, why)))
            case Some(_) => Nil
          }
        case _ => Nil
      }
    case _ => Nil
  }

  private def isNoted(f: AggregateExpression): Boolean = f.aggregateFunction match {
    case ours: SketchFunction => ours.note.isEmpty
    case _ => true
  }

  private def noted(aggregate: Aggregate, why: AggregateExpression => String): LogicalPlan =
    aggregate.transformExpressions { case call @ AggregateExpression(f: SketchFunction, _, _, _, _) =>
      call.copy(aggregateFunction = f.noted(why(call)))
    }

  /** Why Spark's own operator has to run the functions, as a reason for each function; None if ours can run them. */
  private def whyNot(
      grouping: Seq[NamedExpression],
      functions: Seq[AggregateExpression]
  ): Option[AggregateExpression => String] =
    whyDistinct(functions).orElse(whyUnsupported(grouping, functions).map(why => _ => why))

  /** Whether our operator can run the functions, at least one of which is ours. */
  private[spark] def runs(grouping: Seq[NamedExpression], functions: Seq[AggregateExpression]): Boolean =
    functions.exists(AggregateStages.isOurs) && whyNot(grouping, functions).isEmpty

  private def whyDistinct(functions: Seq[AggregateExpression]): Option[AggregateExpression => String] = {
    def name(f: AggregateExpression): String = f.aggregateFunction.prettyName
    functions.find(_.isDistinct).filter(_ => AggregateConf.isEnabled).map { distinct => f =>
      if (f.isDistinct) s"${name(f)} is DISTINCT" else s"${name(distinct)} in the same query is DISTINCT"
    }
  }

  private def whyUnsupported(
      grouping: Seq[NamedExpression],
      functions: Seq[AggregateExpression]
  ): Option[String] = {
    val others = functions.filterNot(AggregateStages.isOurs)
    def name(f: AggregateExpression): String = f.aggregateFunction.prettyName
    def buffers(f: AggregateExpression): Seq[AttributeReference] = f.aggregateFunction.aggBufferAttributes
    if (!AggregateConf.isEnabled) Some(s"${AggregateConf.Enabled} is false")
    else
      others.find(!_.aggregateFunction.isInstanceOf[DeclarativeAggregate])
        .map(f => s"${name(f)} has no generated code")
        .orElse(
          others.find(f => !buffers(f).forall(b => UnsafeRow.isMutable(b.dataType)))
            .map(f => s"${name(f)} of ${f.aggregateFunction.dataType.sql} has values of varying length")
        )
        .orElse(GroupingKeys.whyNot(grouping))
  }

  private def planned(
      keys: Seq[NamedExpression],
      functions: Seq[AggregateExpression],
      results: Seq[NamedExpression],
      child: LogicalPlan
  ): SparkPlan = {
    val parts = AggregateStages.partial(keys, functions, planLater(child)).handingRows
    ProjectExec(
      results,
      AggregateStages.answering(parts, parts.grouping.map(_.toAttribute), functions, parts)
    )
  }

  /** The partial aggregation alone, and the output columns of each function; None if Spark's own operator has to run it. */
  private[spark] def partialOf(
      keys: Seq[NamedExpression],
      functions: Seq[AggregateExpression],
      child: LogicalPlan
  ): Option[(SparkPlan, Seq[Seq[Attribute]])] =
    Option.when(whyNot(keys, functions).isEmpty) {
      val parts = AggregateStages.partial(keys, functions, planLater(child))
      val column = parts.calls.iterator.map(call => Seq(parts.produced(call.column)))
      val buffers = parts.produced.drop(parts.columns.length).iterator
      val kept = functions.map { f =>
        if (AggregateStages.isOurs(f)) column.next()
        else f.aggregateFunction.aggBufferAttributes.map(_ => buffers.next())
      }
      (parts, kept)
    }
}

/** Checks and normalises the grouping columns of our operators, which need rows of one group to have equal bytes there. */
private[spark] object GroupingKeys {

  /** Why only Spark's own operator can group by these columns; None if ours can. */
  def whyNot(grouping: Seq[NamedExpression]): Option[String] =
    grouping.find(k => !UnsafeRowUtils.isBinaryStable(k.dataType))
      .map(k => s"equal values of ${k.name} can have different bytes")
      .orElse(
        grouping.find(_.metadata.contains(SessionWindow.marker)).map(_ =>
          "a session window grows with its rows"
        )
      )

  /** The key with floating-point values normalised to one zero and one NaN. */
  def normalized(key: NamedExpression): NamedExpression = SparkPrivates.normalizeFloatingNumbers(key) match {
    case named: NamedExpression => named
    case normalized => Alias(normalized, key.name)(exprId = key.exprId)
  }
}
