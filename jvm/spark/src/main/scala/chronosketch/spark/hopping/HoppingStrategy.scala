package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.types.LongType

import chronosketch.spark.explain.FallbackExec
import chronosketch.spark.hopping.panes.{HoppingWindows, HoppingWindowsExec, PaneBlocksExec, PartialPanes}

/** Plans hopping windows over panes, and what is asked of each right in the operator that makes them; says why [[HoppingRewrite]] left an
  * aggregation to Spark.
  */
object HoppingStrategy extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Project(answers, windows: HoppingWindows) if answers.forall(_.deterministic) =>
      Seq(planned(windows, answers))
    case windows: HoppingWindows => Seq(planned(windows, windows.output))
    case aggregate: Aggregate =>
      // the copy has no reason, and passes
      HoppingRewrite.whyNot(aggregate).map(why =>
        FallbackExec(Seq(why), planLater(aggregate.copy()))
      ).toSeq
    case _ => Nil
  }

  private def planned(windows: HoppingWindows, answers: Seq[NamedExpression]): SparkPlan = {
    import windows._
    val block = AttributeReference("block", LongType, nullable = false)()
    val panes = PartialPanes.of(child).getOrElse(PartialPanes(planLater(child), child.output))
    val blocks = PaneBlocksExec(panes.columns, pane, hop, block, panes.plan)
    HoppingWindowsExec(by, pane, block, hop, start, end, merges, merged, answers, blocks)
  }
}
