package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.BinaryType

import chronosketch.spark.aggregate.{SketchColumn, SketchFunction}

/** Builds the operators of one aggregation, one above the other: rows become partial results, these are merged any number of times, and
  * the last operator merges them once more and answers. A partial result is a row of keys, sketches and the buffers of Spark's functions.
  */
private[spark] object AggregateStages {

  def isOurs(f: AggregateExpression): Boolean = f.aggregateFunction.isInstanceOf[SketchFunction]

  /** Whether an aggregation has one of our functions. Much cheaper than to take the aggregation apart first. */
  def hasOurs(aggregate: Aggregate): Boolean =
    aggregate.aggregateExpressions.exists(_.exists(_.isInstanceOf[SketchFunction]))

  /** Turns rows into partial results. */
  def partial(
      keys: Seq[NamedExpression],
      functions: Seq[AggregateExpression],
      child: SparkPlan
  ): SketchAggregateExec = {
    val (ours, others) = functions.partition(isOurs)
    val columnOf = ours.map(f => f.aggregateFunction.asInstanceOf[SketchFunction].column(f.filter))
    val columns = columnOf.foldLeft(Seq.empty[SketchColumn]) { (distinct, column) =>
      if (distinct.exists(_.sharesWith(column))) distinct else distinct :+ column
    }
    val calls = ours.zip(columnOf).map { case (f, column) =>
      f.aggregateFunction.asInstanceOf[SketchFunction].call(columns.indexWhere(_.sharesWith(column)))
    }
    SketchAggregateExec(
      keys.map(GroupingKeys.normalized),
      columns,
      calls,
      others.map(_.copy(mode = Partial)),
      sketchesOf(columns) ++ others.flatMap(_.aggregateFunction.inputAggBufferAttributes),
      Partial,
      child
    )
  }

  /** Merges partial results to partial results of fewer or equal keys.
    *
    * @param parts the operator whose results reach `child`, with the same columns after the keys
    */
  def merging(
      parts: SketchAggregateExec,
      keys: Seq[NamedExpression],
      child: SparkPlan
  ): SketchAggregateExec = {
    val columns = mergingColumns(parts)
    SketchAggregateExec(
      keys,
      columns,
      parts.calls,
      parts.functions.map(_.copy(mode = PartialMerge, filter = None)),
      sketchesOf(columns) ++ parts.produced.drop(columns.length),
      PartialMerge,
      child
    ).handingRows
  }

  /** Merges partial results and answers the functions.
    *
    * @param parts as in [[merging]]
    */
  def answering(
      parts: SketchAggregateExec,
      keys: Seq[Attribute],
      functions: Seq[AggregateExpression],
      child: SparkPlan
  ): SketchAggregateExec = {
    val (ours, others) = functions.partition(isOurs)
    SketchAggregateExec(
      keys,
      mergingColumns(parts),
      parts.calls,
      others.map(_.copy(mode = Final, filter = None)),
      (ours ++ others).map(_.resultAttribute),
      Final,
      child
    )
  }

  private def mergingColumns(parts: SketchAggregateExec): Seq[SketchColumn] =
    parts.columns.zip(parts.produced).map { case (column, sketch) => column.merging(sketch) }

  private def sketchesOf(columns: Seq[SketchColumn]): Seq[AttributeReference] =
    columns.map(_ => AttributeReference("sketch", BinaryType, nullable = false)())
}
