package chronosketch.spark.aggregate.cube

import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeSet, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Expand, Filter, LogicalPlan}
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}

import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.aggregate.operator.{AggregateStages, SketchAggregateStrategy}
import chronosketch.spark.explain.FallbackExec

/** Plans `CUBE`, `ROLLUP` and `GROUPING SETS` with a function of chronosketch: aggregates the rows once, by all keys, and merges the
  * groups of the other grouping sets from these.
  *
  * Spark's plan aggregates a copy of each row for each grouping set. It stays if our operator can't run the aggregation, or if the
  * grouping sets can't be merged; then EXPLAIN says why. This is done by a strategy, not by an optimizer rule, because Spark also takes
  * strategies in a session that is already running, and because no other rule then sees half of the plan.
  */
object GroupingSetsStrategy extends SparkStrategy {

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case aggregate: Aggregate
        if AggregateConf.mergesGroupingSets && !aggregate.isStreaming && AggregateStages.hasOurs(aggregate) =>
      aggregate match {
        case PhysicalAggregation(grouping, functions, results, CopiedRows(condition, copies))
            if readsOnly(condition, grouping) && SketchAggregateStrategy.runs(grouping, functions) =>
          MergeableSets.of(grouping, functions, copies) match {
            case None => Nil
            case Some(Left(why)) => unmerged(aggregate, why)
            case Some(Right(sets)) => Seq(planned(sets, results, condition, copies.child))
          }
        case PhysicalAggregation(grouping, functions, _, _)
            if MergeableSets.hasNumber(grouping) && SketchAggregateStrategy.runs(grouping, functions) =>
          unmerged(aggregate, "rows are joined or filtered after they were copied")
        case _ => Nil
      }
    case _ => Nil
  }

  private def unmerged(aggregate: Aggregate, why: String): Seq[SparkPlan] =
    SketchAggregateStrategy(aggregate).map(FallbackExec(Seq(why), _))

  /** The copies of rows, and the condition on grouping columns that Spark has moved below the aggregation. */
  private object CopiedRows {
    def unapply(plan: LogicalPlan): Option[(Option[Expression], Expand)] = plan match {
      case copies: Expand => Some((None, copies))
      case Filter(condition, copies: Expand) => Some((Some(condition), copies))
      case _ => None
    }
  }

  private def readsOnly(condition: Option[Expression], grouping: Seq[NamedExpression]): Boolean =
    condition.forall(c => c.deterministic && c.references.subsetOf(AttributeSet(grouping)))

  private def planned(
      sets: MergeableSets,
      results: Seq[NamedExpression],
      condition: Option[Expression],
      rows: LogicalPlan
  ): SparkPlan = {
    val keys = sets.keys.map {
      case named: NamedExpression => named
      case other => Alias(other, "key")()
    }
    val parts = AggregateStages.partial(keys, sets.functions, planLater(rows)).handingRows
    val finestKeys = parts.grouping.map(_.toAttribute)
    val finest = AggregateStages.merging(parts, finestKeys, parts)
    val values = sets.values.map(_.map { value =>
      val key = sets.keys.indexWhere(_.semanticEquals(value))
      if (key < 0) value else finestKeys(key)
    })
    val merging = AggregateStages.merging(finest, finestKeys, finest)
    val merged = SketchGroupingSetsExec(
      finestKeys,
      sets.masks,
      values,
      sets.columns,
      merging.columns,
      merging.functions,
      merging.produced,
      finest
    )
    val chosen = condition.fold[SparkPlan](merged)(FilterExec(_, merged))
    ProjectExec(results, AggregateStages.answering(merging, sets.columns, sets.functions, chosen))
  }
}
