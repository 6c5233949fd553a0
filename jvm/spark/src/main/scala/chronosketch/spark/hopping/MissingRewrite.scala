package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, TimeWindow}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Expand, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.SetCommand

import chronosketch.spark.sql.Conditions

/** Stands in for [[HoppingRewrite]] in a session that was attached: Spark adds that rule only to a session that starts.
  *
  * `SET` of [[HoppingConf.Rewrite]] is refused. `spark.conf.set` runs no plan, and the check of a setting doesn't know whose setting it is,
  * so it can't be refused. Spark then runs the aggregations itself, and EXPLAIN says why.
  */
object MissingRewrite extends Rule[LogicalPlan] {
  private val why =
    "chronosketch was attached to this session when it was running already; spark.newSession() has the rewrite"

  def apply(plan: LogicalPlan): LogicalPlan = {
    if (isSetting(plan) && !isInstalled)
      throw Conditions.analysisError(
        "CHRONOSKETCH_HOPPING_REWRITE",
        plan.origin,
        "setting" -> HoppingConf.Rewrite
      )
    if (HoppingConf.rewrites && !isInstalled)
      plan.foreach {
        case aggregate: Aggregate if isHopping(aggregate) => HoppingRewrite.leave(aggregate, why)
        case _ =>
      }
    plan
  }

  private def isSetting(plan: LogicalPlan): Boolean = plan match {
    case SetCommand(Some((HoppingConf.Rewrite, Some(value)))) => value.trim.toBooleanOption.contains(true)
    case _ => false
  }

  private def isHopping(aggregate: Aggregate): Boolean =
    !aggregate.isStreaming && aggregate.groupingExpressions.exists(isHoppingWindow(_, aggregate.child))

  /** Spark's analysis marks windows, and expands rows to copies if windows overlap. */
  private def isHoppingWindow(key: Expression, rows: LogicalPlan): Boolean = key match {
    case a: Attribute if a.metadata.contains(TimeWindow.marker) =>
      rows.exists {
        case copies: Expand => copies.output.exists(_.exprId == a.exprId)
        case _ => false
      }
    case _ => false
  }

  /** Whether the session has the rewrite. A clone of an attached session, which Spark makes for streams and caches, has it. */
  private def isInstalled: Boolean =
    SparkSession.active.sessionState.planNormalizationRules.contains(HoppingRewrite)
}
