package chronosketch.spark.aggregate.operator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.execution.{BlockingOperatorWithCodegen, CodegenSupport, SparkPlan}

import chronosketch.spark.aggregate.{FunctionCall, SketchColumn}

/** Computes certified quantiles, and Spark's own functions next to them, for each group in generated code.
  *
  * Guarantee  the answers of Spark's operator for the same functions: equal if they are exact, otherwise within their certificates.
  *            Groups are in no particular order
  * Cost       for each row, a look-up of its group and an insertion per column; no object below about 60 values per group
  * Memory     requested from Spark. If Spark refuses, a partial aggregation flushes its groups downstream and continues; a final one
  *            spills
  * Merge      partial results are rows of keys, encoded sketches and the buffers of Spark's functions. If a group has few rows with
  *            times, the rows themselves go to the final aggregation instead of a sketch that would hardly be smaller
  * Source     Spark's operators that generate code (HashAggregateExec) for the method; Neumann, Efficiently compiling
  *            efficient query plans, VLDB 2011, for the reason
  */
final case class SketchAggregateExec(
    grouping: Seq[NamedExpression],
    columns: Seq[SketchColumn],
    calls: Seq[FunctionCall],
    functions: Seq[AggregateExpression],
    produced: Seq[Attribute],
    mode: AggregateMode,
    child: SparkPlan
) extends SketchAggregation
    with BlockingOperatorWithCodegen {

  override def nodeName: String = "SketchAggregate"

  /** The same aggregation, if its partial results are read only by the next one of the same plan. */
  private[spark] def handingRows: SketchAggregateExec = copy(columns = columns.map(_.handingRows))

  protected def doExecute(): RDD[InternalRow] = {
    val taskSpec = spec
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      AggregateIterator.ofRows(taskSpec, partition, rows)
    }
  }

  // ---- generated code

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  override def usedInputs: AttributeSet = inputSet

  /** Groups that are output early go out row by row, while the child is paused. */
  override def needStopCheck: Boolean = !isFinal && grouping.nonEmpty

  /** Groups that are output early may go out all at once, if the child cannot be paused. */
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
