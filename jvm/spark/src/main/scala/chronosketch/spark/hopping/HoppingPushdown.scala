package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.{And, AttributeSet, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import chronosketch.spark.hopping.panes.HoppingWindows

/** A condition on keys is asked of panes, and so of rows: windows of other keys are not made. */
object HoppingPushdown extends Rule[LogicalPlan] with PredicateHelper {
  def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case Filter(condition, windows: HoppingWindows) if ofKeys(condition, windows).nonEmpty =>
      val (early, late) = splitConjunctivePredicates(condition).partition(isOfKeys(_, windows))
      val fewer = windows.copy(child = Filter(early.reduce(And), windows.child))
      late.reduceOption(And).fold[LogicalPlan](fewer)(Filter(_, fewer))
  }

  private def ofKeys(condition: Expression, windows: HoppingWindows): Seq[Expression] =
    splitConjunctivePredicates(condition).filter(isOfKeys(_, windows))

  private def isOfKeys(condition: Expression, windows: HoppingWindows): Boolean =
    condition.deterministic && condition.references.nonEmpty &&
      condition.references.subsetOf(AttributeSet(windows.by))
}
