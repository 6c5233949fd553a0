package chronosketch.spark.aggregate.cube

import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeSet, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Expand, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}

import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.aggregate.operator.{AggregateStages, SketchAggregateStrategy}
import chronosketch.spark.explain.FallbackExec

/** Plans `CUBE`, `ROLLUP` and `GROUPING SETS` with a function of chronosketch: aggregates the rows once, by all keys, and merges the
  * groups of the other grouping sets from these.
  *
  * Spark's plan aggregates a copy of each row for each grouping set. An aggregation that our operator does not run is left to Spark, and
  * so are grouping sets that can't be merged; then EXPLAIN says why. This is done by a strategy, not by an optimizer rule, because Spark
  * also takes strategies in a session that is already running, and because no other rule then sees half of the plan.
  */
object GroupingSetsStrategy extends SparkStrategy {
  private val isLeft = TreeNodeTag[Unit]("chronosketch.cube.left")

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case aggregate: Aggregate
        if AggregateConf.mergesGroupingSets && !aggregate.isStreaming && aggregate.getTagValue(
          isLeft
        ).isEmpty =>
      aggregate match {
        case PhysicalAggregation(grouping, functions, results, CopiedRows(condition, copies))
            if readsOnly(condition, grouping) && SketchAggregateStrategy.runs(grouping, functions) =>
          MergeableSets.of(grouping, functions, copies).map {
            case Left(why) => FallbackExec(Seq(why), planLater(left(aggregate)))
            case Right(sets) => planned(sets, results, condition, copies.child)
          }.toSeq
        case _ => Nil
      }
    case _ => Nil
  }

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

  /** A copy that Spark's own plan of copied rows is made for. */
  private def left(aggregate: Aggregate): LogicalPlan = {
    val copy = aggregate.copy()
    copy.setTagValue(isLeft, ())
    copy
  }

  private def planned(
      found: MergeableSets,
      results: Seq[NamedExpression],
      condition: Option[Expression],
      rows: LogicalPlan
  ): SparkPlan = {
    val keys = found.keys.map {
      case named: NamedExpression => named
      case other => Alias(other, "key")()
    }
    val parts =
      AggregateStages.partial(
        keys,
        found.functions,
        planLater(pruned(rows, keys ++ found.functions))
      ).handingRows
    val finestKeys = parts.grouping.map(_.toAttribute)
    val finest = AggregateStages.merging(parts, finestKeys, parts)
    val sets = found.sets.map(_.map { value =>
      val key = found.keys.indexWhere(_.semanticEquals(value))
      if (key < 0) value else finestKeys(key)
    })
    val columns = AggregateStages.merging(finest, finestKeys, finest)
    val merged = SketchGroupingSetsExec(
      finestKeys,
      found.masks,
      sets,
      found.columns,
      columns.columns,
      columns.functions,
      columns.produced,
      finest
    )
    val chosen = condition.fold[SparkPlan](merged)(FilterExec(_, merged))
    ProjectExec(results, AggregateStages.answering(columns, found.columns, found.functions, chosen))
  }

  private def pruned(rows: LogicalPlan, read: Seq[Expression]): LogicalPlan = {
    val needed = AttributeSet(read.flatMap(_.references))
    if (rows.outputSet.subsetOf(needed)) rows else Project(rows.output.filter(needed.contains), rows)
  }
}
