package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Lets a question read the answer of a nested one, as in `sketch_quantile(sketch_window(...), 0.5)`, as a summary in memory, so that it
  * is not encoded to bytes in between.
  */
object DirectReading extends Rule[LogicalPlan] {
  def apply(plan: LogicalPlan): LogicalPlan = plan.transformAllExpressions {
    case ask @ Ask(question, (inner @ Ask(Summarising(summary), _, _)) +: rest, _) if question.readsSummary =>
      ask.copy(arguments = inner.copy(question = summary) +: rest)
  }

  private object Summarising {
    def unapply(question: Question): Option[Question] = question.answeringSummary
  }
}
