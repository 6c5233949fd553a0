package chronosketch.spark.aggregate.columns

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression}
import org.apache.spark.sql.execution.{ColumnarToRowTransition, SparkPlan}

import chronosketch.spark.aggregate.operator.{AggregateIterator, SketchAggregation}
import chronosketch.spark.aggregate.{Asked, SketchColumn}

/** The partial aggregation of a scan, by its columns: no row is made.
  *
  * Guarantee  the groups of [[chronosketch.spark.aggregate.operator.SketchAggregateExec]]
  * Cost       a row: a copy of its key and values, a look-up and an insertion a column
  * Source     Boncz, Zukowski, Nes, MonetDB/X100: hyper-pipelining query execution, CIDR 2005, for why
  *
  * It takes batches of columns and puts out rows, so Spark puts no transition of its own below it.
  */
final case class ColumnAggregateExec(
    grouping: Seq[NamedExpression],
    columns: Seq[SketchColumn],
    asked: Seq[Asked],
    produced: Seq[Attribute],
    child: SparkPlan
) extends SketchAggregation
    with ColumnarToRowTransition {

  override def nodeName: String = "SketchAggregateByColumns"

  def functions: Seq[AggregateExpression] = Nil
  def isFinal: Boolean = false

  private def places: ColumnPlaces =
    ColumnReads.places(grouping, columns, child.output)
      .getOrElse(throw new IllegalStateException(s"not read by columns: $this"))

  protected def doExecute(): RDD[InternalRow] = {
    val told = spec
    val read = places
    child.executeColumnar().mapPartitionsWithIndex { (partition, batches) =>
      AggregateIterator.of(told, partition)(state => ColumnSource.of(read, state, batches))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ColumnAggregateExec =
    copy(child = newChild)
}
