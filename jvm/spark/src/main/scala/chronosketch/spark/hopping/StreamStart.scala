package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan, TransformWithState}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.streaming.{OutputMode, TimeMode}

import chronosketch.spark.hopping.stream.StreamedWindows
import chronosketch.spark.sql.Conditions

/** Gives hopping windows the output mode of the query when it starts, and refuses modes in which they can't run. Spark would refuse some
  * of these modes, too, but its message does not say why.
  */
object StreamStart extends Rule[LogicalPlan] {

  /** The tag of a plan of two aggregations, with the reason why its panes are not kept by key. */
  val whyChained: TreeNodeTag[String] = TreeNodeTag("chronosketch.hopping.chained")

  def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case start: WriteToStreamStatement =>
      start.inputQuery.foreach(check(_, start.outputMode))
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        start.transformDown {
          case node: TransformWithState
              if StreamedWindows.isOurs(node) && node.outputMode != start.outputMode =>
            node.copy(outputMode = start.outputMode)
        }
      }
    case _ => plan
  }

  private def check(node: LogicalPlan, mode: OutputMode): Unit = {
    def refuse(because: String): Nothing = throw Conditions.analysisError(
      "CHRONOSKETCH_HOPPING_MODE",
      node.origin,
      "function" -> HoppingSketch.Name,
      "mode" -> mode.toString.toLowerCase(java.util.Locale.ROOT),
      "because" -> because
    )
    def refuseComplete(): Unit = if (mode == OutputMode.Complete())
      refuse("it drops windows that the watermark has passed. Use append or update mode")
    node match {
      case ours: TransformWithState if StreamedWindows.isOurs(ours) =>
        refuseComplete()
        if (mode == OutputMode.Append() && ours.timeMode != TimeMode.EventTime())
          refuse(
            "nothing says when a window is complete. Give event_time a watermark with withWatermark(...)"
          )
      case _ =>
        node.getTagValue(whyChained).foreach { why =>
          refuseComplete()
          if (mode == OutputMode.Update()) refuse(why)
        }
    }
  }
}
