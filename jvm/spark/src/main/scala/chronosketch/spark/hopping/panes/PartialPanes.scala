package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, DeclarativeAggregate}
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.execution.aggregate.AggUtils
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import chronosketch.spark.aggregate.QloveSketchAggregate
import chronosketch.spark.aggregate.operator.SketchAggregateStrategy
import chronosketch.spark.sql.SparkPrivates

/** The partial panes of each task, before an exchange. Windows can be merged from them as well as from whole panes, so that one exchange by
  * the windows' keys is enough.
  *
  * @param plan    computes one row for each pane of a task
  * @param columns the columns of a pane, with their names
  */
private[spark] final case class PartialPanes(plan: SparkPlan, columns: Seq[NamedExpression])

private[spark] object PartialPanes extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = of(plan).map(_.plan).toSeq

  /** None if the plan does not aggregate panes, or if panes must be complete before they are merged. */
  def of(plan: LogicalPlan): Option[PartialPanes] = plan match {
    case aggregate: Aggregate =>
      aggregate match {
        case PhysicalAggregation(keys, functions, results, child) if !functions.exists(isWhole) =>
          val (partial, buffers) = SketchAggregateStrategy.partialOf(keys, functions, child)
            .getOrElse(ofSpark(keys, functions, results, child))
          val values = functions.zip(buffers).map { case (f, buffer) => f.resultId -> value(f, buffer) }.toMap
          Some(PartialPanes(
            partial,
            results.map { result =>
              result.transform { case a: Attribute if values.contains(a.exprId) => values(a.exprId) }
                .asInstanceOf[NamedExpression]
            }
          ))
        case _ => None
      }
    case _ => None
  }

  /** Whether the function finishes a pane when it is complete, so that partial panes can't be merged. */
  private def isWhole(f: AggregateExpression): Boolean =
    f.aggregateFunction.isInstanceOf[QloveSketchAggregate]

  /** The result of a function for the rows of one task. */
  private def value(f: AggregateExpression, buffers: Seq[Attribute]): Expression = f.aggregateFunction match {
    case declared: DeclarativeAggregate =>
      val column = AttributeMap(declared.aggBufferAttributes.zip(buffers))
      declared.evaluateExpression.transform { case a: Attribute => column.getOrElse(a, a) }
    case _ => buffers.head
  }

  private def ofSpark(
      keys: Seq[NamedExpression],
      functions: Seq[AggregateExpression],
      results: Seq[NamedExpression],
      child: LogicalPlan
  ): (SparkPlan, Seq[Seq[Attribute]]) = {
    val grouping = keys.map { key =>
      SparkPrivates.normalizeFloatingNumbers(key) match {
        case named: NamedExpression => named
        case normalized => Alias(normalized, key.name)(exprId = key.exprId)
      }
    }
    val partial =
      AggUtils.planAggregateWithoutDistinct(grouping, functions, results, planLater(child)).head.children.head
    val buffers = partial.output.drop(keys.length).iterator
    (partial, functions.map(_.aggregateFunction.aggBufferAttributes.map(_ => buffers.next())))
  }
}
