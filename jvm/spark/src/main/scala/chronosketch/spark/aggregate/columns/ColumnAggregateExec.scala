package chronosketch.spark.aggregate.columns

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateMode, Partial}
import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression}
import org.apache.spark.sql.execution.{ColumnarToRowTransition, SparkPlan}

import chronosketch.spark.aggregate.operator.{AggregateIterator, SketchAggregation}
import chronosketch.spark.aggregate.{FunctionCall, SketchColumn}

/** Runs a partial aggregation directly over the columns of a scan, without building rows.
  *
  * Guarantee  the same groups as [[chronosketch.spark.aggregate.operator.SketchAggregateExec]]
  * Cost       for each row: a copy of its key and values, and a look-up and an insertion per column
  * Source     Boncz, Zukowski, Nes, MonetDB/X100: hyper-pipelining query execution, CIDR 2005, for the reason
  *
  * It takes columnar batches and returns rows, so Spark inserts no transition of its own below it.
  */
final case class ColumnAggregateExec(
    grouping: Seq[NamedExpression],
    columns: Seq[SketchColumn],
    calls: Seq[FunctionCall],
    produced: Seq[Attribute],
    child: SparkPlan
) extends SketchAggregation
    with ColumnarToRowTransition {

  override def nodeName: String = "SketchAggregateByColumns"

  def functions: Seq[AggregateExpression] = Nil
  def mode: AggregateMode = Partial

  private def places: ColumnPlaces =
    ColumnReads.places(grouping, columns, child.output)
      .getOrElse(throw new IllegalStateException(s"not read by columns: $this"))

  protected def doExecute(): RDD[InternalRow] = {
    val taskSpec = spec
    // later rules may have put back rows: Comet does if a stage has more transitions than its setting allows
    if (!child.supportsColumnar)
      child.execute().mapPartitionsWithIndex { (partition, rows) =>
        AggregateIterator.ofRows(taskSpec, partition, rows)
      }
    else {
      val taskPlaces = places
      child.executeColumnar().mapPartitionsWithIndex { (partition, batches) =>
        AggregateIterator.of(taskSpec, partition)(state => ColumnSource.of(taskPlaces, state, batches))
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ColumnAggregateExec =
    copy(child = newChild)
}
