package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** A question about the answer of another, as `sketch_quantile(sketch_window(...), 0.5)`, reads the summary in memory: it does not become
  * bytes in between.
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
