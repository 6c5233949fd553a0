package chronosketch.spark.aggregate.operator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{BlockingOperatorWithCodegen, CodegenSupport, SparkPlan, UnaryExecNode}

import chronosketch.spark.aggregate.{Asked, SketchColumn}
import chronosketch.spark.explain.ExplainedExec
import chronosketch.spark.sql.SparkLine

/** Certified quantiles, and Spark's own functions beside them, of each group, in generated code.
  *
  * Guarantee  the answers of Spark's operator over the same functions: equal where they are exact, within their certificates
  *            beyond. Groups in no order
  * Cost       a row: a look-up of its group, and an insertion a column; no object below some 60 values a group. Memory is
  *            asked of Spark: refused, a partial aggregation flushes its groups downstream and continues, a final one spills
  * Merge      partial results are rows of keys, sealed sketches and Spark's own buffers
  * Source     the operators of Spark that generate code (HashAggregateExec) for how to; Neumann, Efficiently compiling
  *            efficient query plans, VLDB 2011, for why
  *
  * @param grouping  in the final aggregation attributes
  * @param columns   what is summarised, each once however many functions ask it
  * @param asked     the functions of ours; in the partial aggregation for EXPLAIN alone
  * @param functions Spark's own, Partial or Final
  * @param produced  what follows the keys in a row that is put out: the columns' sketches and the functions' buffers, or the
  *                  answers of ours and of Spark's own
  */
final case class SketchAggregateExec(
    grouping: Seq[NamedExpression],
    columns: Seq[SketchColumn],
    asked: Seq[Asked],
    functions: Seq[AggregateExpression],
    produced: Seq[Attribute],
    isFinal: Boolean,
    child: SparkPlan
) extends UnaryExecNode
    with ExplainedExec
    with BlockingOperatorWithCodegen {

  override def nodeName: String = "SketchAggregate"

  override def output: Seq[Attribute] = keyAttributes ++ produced

  private def keyAttributes: Seq[Attribute] = grouping.map(_.toAttribute)
  private def declarative = functions.map(_.aggregateFunction.asInstanceOf[DeclarativeAggregate])
  private def bufferAttributes: Seq[AttributeReference] = declarative.flatMap(_.aggBufferAttributes)

  /** Of Spark's own functions, a copy of the plan has new ones: their buffers are found by their places, which are last. */
  private def inputAttributes: Seq[Attribute] =
    if (!isFinal) child.output
    else {
      val buffers = declarative.flatMap(_.inputAggBufferAttributes)
      child.output.dropRight(buffers.length) ++ buffers
    }

  override def producedAttributes: AttributeSet =
    AttributeSet(produced) ++ AttributeSet(grouping.diff(child.output).map(_.toAttribute)) ++ AttributeSet(
      bufferAttributes
    ) ++
      AttributeSet(inputAttributes.filterNot(child.outputSet.contains))

  override def requiredChildDistribution: List[Distribution] =
    if (!isFinal) List(UnspecifiedDistribution)
    else if (grouping.isEmpty) List(AllTuples)
    else List(SparkLine.clustered(grouping))

  override def outputPartitioning: Partitioning = child.outputPartitioning match {
    case p: Expression =>
      val renamed = p.transform {
        case e: Expression if grouping.exists(isAliasOf(_, e)) =>
          grouping.find(isAliasOf(_, e)).get.toAttribute
      }
      if (renamed.references.subsetOf(outputSet)) renamed.asInstanceOf[Partitioning]
      else UnknownPartitioning(child.outputPartitioning.numPartitions)
    case p => p
  }

  private def isAliasOf(key: NamedExpression, e: Expression): Boolean = key match {
    case a: Alias => a.child.semanticEquals(e)
    case _ => false
  }

  override lazy val metrics = Map(
    "numInputRows" -> SQLMetrics.createMetric(sparkContext, "number of input rows"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "aggTime" -> SQLMetrics.createTimingMetric(sparkContext, "time in aggregation build", -1),
    "peakMemory" -> SQLMetrics.createSizeMetric(sparkContext, "peak memory", -1),
    "sketchBytes" -> SQLMetrics.createSizeMetric(sparkContext, "bytes of sketches", -1),
    "partialFlushes" -> SQLMetrics.createMetric(sparkContext, "number of partial flushes"),
    "spillSize" -> SQLMetrics.createSizeMetric(sparkContext, "spill size", -1)
  )

  /** What the tasks need to know. */
  private[spark] def spec: AggregateSpec =
    AggregateSpec(
      grouping.map(_.dataType),
      columns,
      if (isFinal) asked else Nil,
      declarative.flatMap(_.initialValues),
      isFinal,
      rules,
      metrics
    )

  private def rules: RowRules = {
    val input = inputAttributes
    val buffer = bufferAttributes
    val offsets = declarative.scanLeft(0)(_ + _.aggBufferAttributes.length)
    RowRules(
      BindReferences.bindReferences(grouping.map(withoutName), input),
      BindReferences.bindReferences(columns, input),
      functions.zip(offsets).map { case (f, from) =>
        BufferRule(
          from,
          BindReferences.bindReferences(changesOf(f), buffer ++ input),
          if (isFinal) None else f.filter.map(BindReferences.bindReference(_, input))
        )
      },
      buffer.length,
      BindReferences.bindReferences(results, resultInput),
      isFinal
    )
  }

  private def withoutName(key: NamedExpression): Expression = key match {
    case a: Alias => a.child
    case other => other
  }

  /** What Spark's own function makes of its buffer with a row. */
  private[spark] def changesOf(f: AggregateExpression): Seq[Expression] = {
    val function = f.aggregateFunction.asInstanceOf[DeclarativeAggregate]
    if (isFinal) function.mergeExpressions else function.updateExpressions
  }

  /** The sketches, or the answers of ours. */
  private def answerAttributes: Seq[Attribute] = produced.take(if (isFinal) asked.length else columns.length)

  /** A row that is put out, from [[resultInput]]. */
  private def results: Seq[Expression] =
    keyAttributes ++ answerAttributes ++
      (if (isFinal) declarative.map(_.evaluateExpression) else bufferAttributes)

  private def resultInput: Seq[Attribute] = keyAttributes ++ answerAttributes ++ bufferAttributes

  protected def doExecute(): RDD[InternalRow] = {
    val told = spec
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      new AggregateIterator(told, partition, rows)
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

  // ---- EXPLAIN

  private def functionTexts: Seq[String] = asked.map(_.text) ++ functions.map(_.toString)

  protected def inTree: String =
    s"(keys=${list(grouping)}, functions=${list(functionTexts)}, sketches=${list(columns)})"

  protected def lines: Seq[String] = Seq(
    line("Input", child.output),
    line("Keys", grouping),
    line("Functions", functionTexts),
    line("Sketches", columns),
    line("Output", output)
  )

  override protected def withNewChildInternal(newChild: SparkPlan): SketchAggregateExec =
    copy(child = newChild)
}
