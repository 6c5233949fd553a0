package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, QueryStageExec}
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import chronosketch.spark.aggregate.{FunctionCall, SketchColumn}
import chronosketch.spark.explain.ExplainedExec
import chronosketch.spark.sql.SparkVersion

/** The part of an aggregation that does not depend on how rows are read: keys, sketch columns, functions and output. */
trait SketchAggregation extends UnaryExecNode with ExplainedExec {

  /** The grouping keys; attributes if partial results are merged. */
  def grouping: Seq[NamedExpression]

  /** The columns that are summarised, each once, even if several functions share it. */
  def columns: Seq[SketchColumn]

  /** The calls of our functions; in the partial aggregation only for EXPLAIN. */
  def calls: Seq[FunctionCall]

  /** Spark's own functions, in the mode of the aggregation. */
  def functions: Seq[AggregateExpression]

  /** The output columns after the keys: in the final aggregation the answers of our functions and of Spark's own, in others the
    * columns' sketches and the functions' buffers.
    */
  def produced: Seq[Attribute]

  /** Partial: rows become partial results. PartialMerge: partial results are merged. Final: they are merged and answered. */
  def mode: AggregateMode

  final def isFinal: Boolean = mode == Final
  final def mergesParts: Boolean = mode != Partial

  override def output: Seq[Attribute] = keyAttributes ++ produced

  private def keyAttributes: Seq[Attribute] = grouping.map(_.toAttribute)
  private def declarative = functions.map(_.aggregateFunction.asInstanceOf[DeclarativeAggregate])
  private[operator] def bufferAttributes: Seq[AttributeReference] = declarative.flatMap(_.aggBufferAttributes)

  /** The input columns. A copy of the plan has new buffer attributes for Spark's own functions, so the buffers are matched by position:
    * they are the last columns.
    */
  private[operator] def inputAttributes: Seq[Attribute] =
    if (!mergesParts) child.output
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
    if (!mergesParts) List(UnspecifiedDistribution)
    else if (grouping.isEmpty) List(AllTuples)
    else List(SparkVersion.clustered(grouping))

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

  /** The description of the aggregation that tasks receive. */
  private[spark] def spec: AggregateSpec = specWith(metrics)

  private[spark] def specWith(taskMetrics: Map[String, SQLMetric]): AggregateSpec =
    AggregateSpec(
      grouping.map(_.dataType),
      columns,
      if (isFinal) calls else Nil,
      declarative.flatMap(_.initialValues),
      mode,
      rules,
      taskMetrics,
      keepsParts = mergesParts,
      keepsStored = !mergesParts && readsShuffle
    )

  /** Whether rows may arrive in another order when the query is run again. Files are always read in the same order. */
  private def readsShuffle: Boolean = child.exists {
    case _: ShuffleExchangeLike | _: AQEShuffleReadExec | _: QueryStageExec | _: ReusedExchangeExec => true
    case _ => false
  }

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
          if (mergesParts) None else f.filter.map(BindReferences.bindReference(_, input))
        )
      },
      buffer.length,
      BindReferences.bindReferences(results, resultInput),
      mode
    )
  }

  private[operator] def withoutName(key: NamedExpression): Expression = key match {
    case a: Alias => a.child
    case other => other
  }

  /** The expressions by which one of Spark's own functions updates its buffer. */
  private[spark] def changesOf(f: AggregateExpression): Seq[Expression] = {
    val function = f.aggregateFunction.asInstanceOf[DeclarativeAggregate]
    if (mergesParts) function.mergeExpressions else function.updateExpressions
  }

  /** The sketches, or the answers of our functions. */
  private[operator] def answerAttributes: Seq[Attribute] =
    produced.take(if (isFinal) calls.length else columns.length)

  /** The expressions of an output row, over [[resultInput]]. */
  private[operator] def results: Seq[Expression] =
    keyAttributes ++ answerAttributes ++
      (if (isFinal) declarative.map(_.evaluateExpression) else bufferAttributes)

  private[operator] def resultInput: Seq[Attribute] = keyAttributes ++ answerAttributes ++ bufferAttributes

  // ---- EXPLAIN

  private def functionTexts: Seq[String] = calls.map(_.text) ++ functions.map(_.toString)

  protected def inTree: String =
    s"(keys=${list(grouping)}, functions=${list(functionTexts)}, sketches=${list(columns)})"

  protected def lines: Seq[String] = Seq(
    line("Input", child.output),
    line("Keys", grouping),
    line("Functions", functionTexts),
    line("Sketches", columns),
    line("Output", output)
  )
}
