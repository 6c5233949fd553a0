package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction, Complete}
import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.aggregate.ObjectHashAggregateExec
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import chronosketch.spark.SparkPrivates

/** Plans the aggregation of each task's own rows: Spark's operator for it, asked for no distribution. */
object TaskPanesStrategy extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case panes: TaskPanes => Seq(planned(panes))
    case _ => Nil
  }

  private def planned(panes: TaskPanes): SparkPlan = {
    val keys = panes.keys.map { key =>
      SparkPrivates.normalizeFloatingNumbers(key) match {
        case named: NamedExpression => named
        case normalized => Alias(normalized, key.name)(exprId = key.exprId)
      }
    }
    val functions = panes.functions.zip(panes.filters).map { case (f, filter) =>
      val of = f.asInstanceOf[AggregateFunction]
      AggregateExpression(of, Complete, isDistinct = false, Option.when(filter != TrueLiteral)(filter))
    }
    ObjectHashAggregateExec(
      requiredChildDistributionExpressions = None,
      isStreaming = false,
      numShufflePartitions = None,
      groupingExpressions = keys,
      aggregateExpressions = functions,
      aggregateAttributes = functions.map(_.resultAttribute),
      initialInputBufferOffset = 0,
      resultExpressions = keys.map(_.toAttribute) ++ functions.zip(panes.parts).map { case (f, part) =>
        Alias(f.resultAttribute, part.name)(exprId = part.exprId)
      },
      child = planLater(panes.child)
    )
  }
}
