package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.{And, AttributeSet, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, TransformWithState}
import org.apache.spark.sql.catalyst.rules.Rule

import chronosketch.spark.hopping.panes.HoppingWindows
import chronosketch.spark.hopping.stream.StreamedQuestions

/** Moves conditions and questions across hopping windows. A condition on keys is pushed below the windows, and then by Spark to the rows,
  * so that windows of other keys are not computed. A question about a stream's windows is moved to the operator that merges them;
  * [[HoppingStrategy]] does the same for tables.
  */
object HoppingPushdown extends Rule[LogicalPlan] with PredicateHelper {
  def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case Filter(condition, windows: HoppingWindows) if ofKeys(condition, windows).nonEmpty =>
      val (early, late) = splitConjunctivePredicates(condition).partition(isOfKeys(_, windows))
      val fewer = windows.copy(child = Filter(early.reduce(And), windows.child))
      late.reduceOption(And).fold[LogicalPlan](fewer)(Filter(_, fewer))
    case columns @ Project(_, windows: TransformWithState) => StreamedQuestions.pushed(columns, windows)
  }

  private def ofKeys(condition: Expression, windows: HoppingWindows): Seq[Expression] =
    splitConjunctivePredicates(condition).filter(isOfKeys(_, windows))

  private def isOfKeys(condition: Expression, windows: HoppingWindows): Boolean =
    condition.deterministic && condition.references.nonEmpty &&
      condition.references.subsetOf(AttributeSet(windows.by))
}
