package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan, TransformWithState}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.streaming.{OutputMode, TimeMode}

import chronosketch.spark.hopping.HoppingSketch
import chronosketch.spark.sql.Conditions

/** Tells hopping windows the output mode of the query that they are started in, and refuses the modes in which they can't run, before
  * Spark does it in words that fit all queries alike.
  */
object StreamStart extends Rule[LogicalPlan] {

  /** On a plan of two aggregations, why it is one. */
  val whyChained: TreeNodeTag[String] = TreeNodeTag("chronosketch.hopping.chained")

  def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case start: WriteToStreamStatement =>
      start.inputQuery.foreach(check(_, start.outputMode))
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        start.transformDown {
          case node: TransformWithState if isOurs(node) && node.outputMode != start.outputMode =>
            node.copy(outputMode = start.outputMode)
        }
      }
    case _ => plan
  }

  private def isOurs(node: TransformWithState): Boolean =
    (node.statefulProcessor: Any).isInstanceOf[PanesProcessor]

  private def check(node: LogicalPlan, mode: OutputMode): Unit = {
    def refuse(because: String): Nothing = throw Conditions.analysisError(
      "CHRONOSKETCH_HOPPING_MODE",
      node.origin,
      "function" -> HoppingSketch.Name,
      "mode" -> mode.toString.toLowerCase(java.util.Locale.ROOT),
      "because" -> because
    )
    def refuseComplete(): Unit = if (mode == OutputMode.Complete())
      refuse("it keeps no window that the watermark has passed; append and update mode put out each")
    node match {
      case ours: TransformWithState if isOurs(ours) =>
        refuseComplete()
        if (mode == OutputMode.Append() && ours.timeMode != TimeMode.EventTime())
          refuse("nothing says when a window is whole: give event_time a watermark, withWatermark(...)")
      case _ =>
        node.getTagValue(whyChained).foreach { why =>
          refuseComplete()
          if (mode == OutputMode.Update()) refuse(why)
        }
    }
  }
}
