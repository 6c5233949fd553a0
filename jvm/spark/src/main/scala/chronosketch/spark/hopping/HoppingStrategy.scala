package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.types.LongType

import chronosketch.spark.explain.FallbackExec
import chronosketch.spark.hopping.panes.{HoppingWindows, HoppingWindowsExec, PaneBlocksExec, PartialPanes}

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
    case _ => Nil
  }

  private def planned(windows: HoppingWindows, answers: Seq[NamedExpression]): SparkPlan = {
    import windows._
    val block = AttributeReference("block", LongType, nullable = false)()
    val panes = PartialPanes.of(child).getOrElse(PartialPanes(planLater(child), child.output))
    val blocks = PaneBlocksExec(panes.columns, pane, assigner, block, panes.plan)
    HoppingWindowsExec(by, pane, block, assigner, start, end, merges, merged, answers, blocks)
  }
}
