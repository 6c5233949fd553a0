package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  AttributeSet,
  Expression,
  NamedExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  AnalysisHelper,
  Filter,
  LogicalPlan,
  Project,
  TransformWithState
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.streaming.{OutputMode, TimeMode}
import org.apache.spark.sql.types.LongType

import chronosketch.spark.explain.FallbackExec
import chronosketch.spark.hopping.panes.{HoppingWindows, HoppingWindowsExec, PaneBlocksExec, PartialPanes}
import chronosketch.spark.hopping.stream.{StreamedQuestions, StreamedWindows}
import chronosketch.spark.sql.Conditions

/** Plans hopping windows over panes. The operator that merges the windows also answers the questions about them. If [[HoppingRewrite]] left
  * an aggregation to Spark, the plan says why.
  */
object HoppingStrategy extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Project(answers, windows: HoppingWindows) if answers.forall(_.deterministic) =>
      Seq(planned(windows, answers))
    case windows: HoppingWindows => Seq(planned(windows, windows.output))
    case aggregate: Aggregate =>
      // the copy has no tag with a reason, so that Spark plans it
      HoppingRewrite.whyNot(aggregate).map(why =>
        FallbackExec(Seq(why), planLater(aggregate.copy()))
      ).toSeq
    case _ =>
      RealTimeMode.refuse(plan)
      Nil
  }

  private def planned(windows: HoppingWindows, answers: Seq[NamedExpression]): SparkPlan = {
    import windows._
    val block = AttributeReference("block", LongType, nullable = false)()
    val panes = PartialPanes.of(child).getOrElse(PartialPanes(planLater(child), child.output))
    val blocks = PaneBlocksExec(panes.columns, pane, assigner, block, panes.plan)
    HoppingWindowsExec(by, pane, block, assigner, start, end, merges, merged, answers, blocks)
  }
}

/** Moves conditions and questions across hopping windows. A condition on keys is pushed below the windows, and then by Spark to the rows,
  * so that windows of other keys are not computed. A question about a stream's windows is moved to the operator that merges them;
  * [[HoppingStrategy]] does the same for tables.
  */
object HoppingPushdown extends Rule[LogicalPlan] with PredicateHelper {
  def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case Filter(condition, windows: HoppingWindows) if keyConditions(condition, windows).nonEmpty =>
      val (early, late) = splitConjunctivePredicates(condition).partition(readsOnlyKeys(_, windows))
      val fewer = windows.copy(child = Filter(early.reduce(And), windows.child))
      late.reduceOption(And).fold[LogicalPlan](fewer)(Filter(_, fewer))
    case columns @ Project(_, windows: TransformWithState) => StreamedQuestions.pushed(columns, windows)
  }

  private def keyConditions(condition: Expression, windows: HoppingWindows): Seq[Expression] =
    splitConjunctivePredicates(condition).filter(readsOnlyKeys(_, windows))

  private def readsOnlyKeys(condition: Expression, windows: HoppingWindows): Boolean =
    condition.deterministic && condition.references.nonEmpty &&
      condition.references.subsetOf(AttributeSet(windows.by))
}

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
