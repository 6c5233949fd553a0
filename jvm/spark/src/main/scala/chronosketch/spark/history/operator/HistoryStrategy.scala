package chronosketch.spark.history.operator

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.types.LongType

import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.aggregate.operator.GroupingKeys
import chronosketch.spark.history.HistoryAggregate
import chronosketch.spark.rows.KeyOf
import chronosketch.spark.sql.Arguments

/** Plans aggregations that build histories: the rows are sorted by group and version, so that a group needs little memory. Aggregations
  * that our operator does not support stay with Spark, and EXPLAIN says why.
  */
object HistoryStrategy extends SparkStrategy {

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case aggregate: Aggregate if !aggregate.isStreaming && buildsHistories(aggregate) =>
      aggregate match {
        case PhysicalAggregation(grouping, functions, results, child) =>
          whyNot(grouping, functions) match {
            case None => Seq(planned(grouping, functions, results, child))
            // the noted plan comes here again, and then goes to Spark's own strategy
            case Some(why) if functions.flatMap(ours).exists(_.note.isEmpty) =>
              Seq(planLater(noted(aggregate, why)))
            case Some(_) => Nil
          }
        case _ => Nil
      }
    case _ => Nil
  }

  private def buildsHistories(aggregate: Aggregate): Boolean =
    aggregate.aggregateExpressions.exists(_.exists(_.isInstanceOf[HistoryAggregate]))

  private def ours(f: AggregateExpression): Option[HistoryAggregate] = f.aggregateFunction match {
    case history: HistoryAggregate => Some(history)
    case _ => None
  }

  private def isOurs(f: AggregateExpression): Boolean = ours(f).nonEmpty

  private def noted(aggregate: Aggregate, why: String): LogicalPlan = aggregate.transformExpressions {
    case call @ AggregateExpression(f: HistoryAggregate, _, _, _, _) =>
      call.copy(aggregateFunction = f.noted(why))
  }

  /** Why Spark's own operator has to run the functions; empty if ours can. */
  private def whyNot(grouping: Seq[NamedExpression], functions: Seq[AggregateExpression]): Option[String] = {
    def name(f: AggregateExpression): String = f.aggregateFunction.prettyName
    val versions = functions.flatMap(ours).map(_.version)
    if (!AggregateConf.isEnabled) Some(s"${AggregateConf.Enabled} is false")
    else
      functions.find(!isOurs(_)).map(f => s"${name(f)} in the same query builds no history")
        .orElse(functions.find(_.isDistinct).map(f => s"${name(f)} is DISTINCT"))
        .orElse(
          versions.find(v => !versions.head.semanticEquals(v)).map(_ =>
            "another history in the same query has other versions"
          )
        )
        .orElse(GroupingKeys.whyNot(grouping))
        .orElse(
          grouping.find(k => !RowOrdering.isOrderable(k.dataType)).map(k => s"${k.name} can't be sorted")
        )
  }

  private def planned(
      grouping: Seq[NamedExpression],
      functions: Seq[AggregateExpression],
      results: Seq[NamedExpression],
      child: LogicalPlan
  ): SparkPlan = {
    val keys = grouping.map(GroupingKeys.normalized)
    val version = Alias(KeyOf(ours(functions.head).get.version), "version")()
    val arguments = Seq.newBuilder[NamedExpression]
    var place = keys.length + 1
    def argument(e: Expression, name: String): Int = {
      arguments += Alias(e, name)()
      place += 1
      place - 1
    }
    val calls = functions.map { f =>
      val history = ours(f).get
      // a bare NULL has NullType, whose key is always NULL; all other types were checked
      val key = KeyOf.of(history.value).get
      HistoryCall(
        history.recipe,
        history.answer,
        argument(f.filter.fold[Expression](key)(If(_, key, Literal(null, LongType))), "value"),
        history.change.fold(-1)(e => argument(Cast(e, LongType), "change")),
        history.until.fold(-1)(e => argument(KeyOf(e), "until")),
        history.dataType,
        f.filter.foldLeft(history.text)((call, e) => s"$call FILTER (WHERE ${Arguments.unqualified(e)})"),
        history.context
      )
    }
    val rows = ProjectExec((keys :+ version) ++ arguments.result(), planLater(child))
    val built = HistoryAggregateExec(
      keys.map(_.toAttribute),
      version.toAttribute,
      calls,
      functions.map(_.resultAttribute),
      rows
    )
    ProjectExec(results, built)
  }
}
