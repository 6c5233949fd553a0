package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import chronosketch.spark.window.SketchWindow

/** A reader right over `sketch_window` gets the window itself: it is not put into bytes, only to be taken out of them again. */
object DirectReading extends Rule[LogicalPlan] {
  def apply(plan: LogicalPlan): LogicalPlan = plan.transformAllExpressions {
    case ask @ Ask(question, Ask(window: SketchWindow, of) +: rest)
        if question.readsSummary && !window.asSummary =>
      ask.copy(arguments = Ask(window.copy(asSummary = true), of) +: rest)
  }
}
