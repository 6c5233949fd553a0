package chronosketch.spark.aggregate.operator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.execution.{BlockingOperatorWithCodegen, CodegenSupport, SparkPlan}

import chronosketch.spark.aggregate.{Asked, SketchColumn}

/** Certified quantiles, and Spark's own functions beside them, of each group, in generated code.
  *
  * Guarantee  the answers of Spark's operator over the same functions: equal where they are exact, within their certificates
  *            beyond. Groups in no order
  * Cost       a row: a look-up of its group, and an insertion a column; no object below some 60 values a group. Memory is
  *            asked of Spark: refused, a partial aggregation flushes its groups downstream and continues, a final one spills
  * Merge      partial results are rows of keys, sealed sketches and Spark's own buffers. Of few rows with times, the rows
  *            themselves go to the final aggregation in place of a sketch that would hardly be smaller
  * Source     the operators of Spark that generate code (HashAggregateExec) for how to; Neumann, Efficiently compiling
  *            efficient query plans, VLDB 2011, for why
  */
final case class SketchAggregateExec(
    grouping: Seq[NamedExpression],
    columns: Seq[SketchColumn],
    asked: Seq[Asked],
    functions: Seq[AggregateExpression],
    produced: Seq[Attribute],
    isFinal: Boolean,
    child: SparkPlan
) extends SketchAggregation
    with BlockingOperatorWithCodegen {

  override def nodeName: String = "SketchAggregate"

  protected def doExecute(): RDD[InternalRow] = {
    val told = spec
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      AggregateIterator.ofRows(told, partition, rows)
    }
  }

  // ---- generated code

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  override def usedInputs: AttributeSet = inputSet

  /** What is handed on early goes out row by row, while the child waits. */
  override def needStopCheck: Boolean = !isFinal && grouping.nonEmpty

  /** What is handed on early may go out in one go, where a child does not wait. */
  override def needCopyResult: Boolean = needStopCheck

  @transient private var code: AggregateCode = _

  override protected def doProduce(ctx: CodegenContext): String = {
    code = new AggregateCode(ctx, this, spec)
    code.produce(answerAttributes, bufferAttributes, results, resultInput)
  }

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String =
    code.consumeRow(input, grouping.map(withoutName), inputAttributes, bufferAttributes)

  private[spark] def produceChild(ctx: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(ctx, this)

  private[spark] def consumeGroup(ctx: CodegenContext, values: Seq[ExprCode]): String =
    consume(ctx, values)

  private[spark] def metric(ctx: CodegenContext, name: String): String = metricTerm(ctx, name)

  override protected def withNewChildInternal(newChild: SparkPlan): SketchAggregateExec =
    copy(child = newChild)
}
