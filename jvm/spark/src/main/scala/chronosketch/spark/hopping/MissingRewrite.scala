package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, TimeWindow}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Expand, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.SetCommand

import chronosketch.spark.sql.Conditions

/** Refuses [[HoppingConf.Rewrite]] in a session that was attached: Spark adds [[HoppingRewrite]] only to a session that starts.
  *
  * `SET` is refused itself. `spark.conf.set` runs no plan, so there the first query is refused that would have been rewritten.
  */
object MissingRewrite extends Rule[LogicalPlan] {
  def apply(plan: LogicalPlan): LogicalPlan = {
    if ((isSetting(plan) || HoppingConf.rewrites && hops(plan)) && !isInstalled)
      throw Conditions.analysisError(
        "CHRONOSKETCH_HOPPING_REWRITE",
        plan.origin,
        "setting" -> HoppingConf.Rewrite
      )
    plan
  }

  private def isSetting(plan: LogicalPlan): Boolean = plan match {
    case SetCommand(Some((HoppingConf.Rewrite, Some(value)))) => value.trim.toBooleanOption.contains(true)
    case _ => false
  }

  private def hops(plan: LogicalPlan): Boolean = plan.exists {
    case aggregate: Aggregate =>
      !aggregate.isStreaming && aggregate.groupingExpressions.exists(isHoppingWindow(_, aggregate.child))
    case _ => false
  }

  /** Spark's analysis marks windows, and makes those that overlap by copies of rows. */
  private def isHoppingWindow(key: Expression, of: LogicalPlan): Boolean = key match {
    case a: Attribute if a.metadata.contains(TimeWindow.marker) =>
      of.exists {
        case copies: Expand => copies.output.exists(_.exprId == a.exprId)
        case _ => false
      }
    case _ => false
  }

  /** A clone of an attached session, which Spark makes for streams and caches, starts with the rewrite. */
  private def isInstalled: Boolean =
    SparkSession.active.sessionState.planNormalizationRules.contains(HoppingRewrite)
}
