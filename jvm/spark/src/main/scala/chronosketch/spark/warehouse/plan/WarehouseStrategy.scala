package chronosketch.spark.warehouse.plan

import org.apache.spark.sql.catalyst.expressions.{And, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}

/** Plans queries to warehouses. Conditions on groups are pushed down, so that only the groups that pass are answered. */
private[spark] object WarehouseStrategy extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalOperation(columns, conditions, answer: WarehouseAnswer) =>
      def isOfGroups(e: Expression): Boolean =
        e.deterministic && e.references.nonEmpty && e.references.subsetOf(answer.by) &&
          !SubqueryExpression.hasSubquery(e)
      val (ofGroups, others) = conditions.partition(isOfGroups)
      val leaf = WarehouseAnswerExec(answer.question, ofGroups, answer.output)
      val filtered = others.reduceOption(And).fold[SparkPlan](leaf)(FilterExec(_, leaf))
      Seq(if (columns == answer.output) filtered else ProjectExec(columns, filtered))
    case _ => Nil
  }
}
