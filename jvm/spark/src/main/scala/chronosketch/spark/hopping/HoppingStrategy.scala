package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** Plans hopping windows over panes. */
object HoppingStrategy extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case HoppingWindows(by, pane, hop, start, end, merges, child) =>
      Seq(HoppingWindowsExec(by, pane, hop, start, end, merges, planLater(child)))
    case _ => Nil
  }
}
