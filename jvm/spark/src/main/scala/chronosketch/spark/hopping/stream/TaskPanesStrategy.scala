package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction, Complete}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}

import chronosketch.spark.hopping.panes.PartialPanes

/** Plans the aggregation of each task's own rows: the half of an aggregation before the exchange. */
object TaskPanesStrategy extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case TaskPanes(keys, functions, filters, parts, child) =>
      val answers = functions.zip(filters).zip(parts).map { case ((f, filter), part) =>
        val agg = f.asInstanceOf[AggregateFunction]
        val called =
          AggregateExpression(agg, Complete, isDistinct = false, Option.when(filter != TrueLiteral)(filter))
        Alias(called, part.name)(exprId = part.exprId)
      }
      PartialPanes.of(Aggregate(keys, keys ++ answers, child)).map(made =>
        ProjectExec(made.columns, made.plan)
      ).toSeq
    case _ => Nil
  }
}
