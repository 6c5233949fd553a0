package chronosketch.spark.sliding.plan

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import chronosketch.spark.explain.ExplainedExec
import chronosketch.spark.rows.OrderKey
import chronosketch.spark.sliding.functions.SlidingCall
import chronosketch.spark.sliding.rows.{Arrival, Sorted, SortedByTable, Unsorted}
import chronosketch.spark.sliding.task.{SlidingIterator, SlidingSpec}
import chronosketch.spark.sql.SparkVersion

/** Runs functions over windows, moving the frame from each row to the next.
  *
  * It requires rows of equal keys in one task and sorts them itself. Input that is already sorted is not sorted again, and neither are
  * the sorted files of a bucketed table.
  *
  * Cost    each row is written once, sorted by its partition and a 64-bit order key, and answered in O(1) amortised, plus the sorting
  *         of its element
  * Memory  the rows of a task and 24 bytes a row, requested from Spark. If Spark refuses, Spark's sorter is used, which can spill.
  *         Frames beyond exactFrameRows are kept as summaries, and their rows on disk
  *
  * @param windowExpressions aliases of [[SlidingCall]]s
  * @param placement         how the rows of a partition are distributed over tasks
  */
final case class SketchWindowExec(
    windowExpressions: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    placement: Placement,
    child: SparkPlan
) extends UnaryExecNode
    with ExplainedExec {

  override def nodeName: String = "SketchWindow"

  private def isRanged: Boolean = placement match {
    case InRanges(_) => true
    case _ => false
  }

  private def input: Seq[Attribute] =
    if (isRanged) child.output.init else child.output

  override def output: Seq[Attribute] = input ++ windowExpressions.map(_.toAttribute)

  override def producedAttributes: AttributeSet = AttributeSet(windowExpressions.map(_.toAttribute))

  override def requiredChildDistribution: Seq[Distribution] = Seq(placement match {
    case Clustered => SparkVersion.clustered(partitionSpec)
    case OneTask(_) => AllTuples
    case InRanges(_) => UnspecifiedDistribution
  })

  private def sortOrder: Seq[SortOrder] = partitionSpec.map(SortOrder(_, Ascending)) ++ orderSpec

  override def outputOrdering: Seq[SortOrder] = sortOrder
  override def outputPartitioning: Partitioning = placement match {
    case InRanges(cut) if partitionSpec.isEmpty => RangePartitioning(orderSpec, cut.most)
    case _ => child.outputPartitioning
  }

  override lazy val metrics = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "numGroups" -> SQLMetrics.createMetric(sparkContext, "number of window partitions"),
    "sortTime" -> SQLMetrics.createTimingMetric(sparkContext, "sort time"),
    "slideTime" -> SQLMetrics.createTimingMetric(sparkContext, "slide time"),
    "peakMemory" -> SQLMetrics.createSizeMetric(sparkContext, "peak memory"),
    "certifiedRows" -> SQLMetrics.createMetric(sparkContext, "number of certified answers"),
    "largeFrameTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time in large frames"),
    "largeFrameBytes" -> SQLMetrics.createSizeMetric(sparkContext, "memory of large frames"),
    "handOvers" -> SQLMetrics.createMetric(sparkContext, "number of switches to Spark's sorter"),
    "spillSize" -> SQLMetrics.createSizeMetric(sparkContext, "spill size")
  )

  private def isOrdered: Boolean = SortOrder.orderingSatisfies(child.outputOrdering, sortOrder)

  /** The files below, if they are sorted as this window needs them, and tasks can check it by the bits of their ORDER BY. */
  private def sortedFiles: Option[SortedFiles] =
    if (isOrdered || !(orderSpec.isEmpty || OrderKey.of(orderSpec).nonEmpty)) None
    else SortedFiles.below(child).filter(files => SortOrder.orderingSatisfies(files.ordering, sortOrder))

  /** Whether rows arrive in order. The child must have been executed: only then are its files known. */
  private[spark] def arrival: Arrival =
    if (isOrdered) Sorted
    else sortedFiles.filter(_.areOnePerBucket).fold[Arrival](Unsorted)(files => SortedByTable(files.table))

  private def calls: Seq[SlidingCall] = windowExpressions.collect { case Alias(call: SlidingCall, _) => call }

  /** The part of the plan that tasks need. */
  private[spark] def spec: SlidingSpec = spec(if (isOrdered) Sorted else Unsorted)

  private def spec(arrival: Arrival): SlidingSpec =
    SlidingSpec.of(calls, partitionSpec, orderSpec, input, arrival, isRanged, metrics)

  protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute()
    val taskSpec = spec(arrival)
    rows.mapPartitionsWithIndex { (partition, rowsOfTask) =>
      new SlidingIterator(taskSpec, partition, rowsOfTask)
    }
  }

  // ---- EXPLAIN

  private def sortText: String =
    if (isOrdered) "input is ordered"
    else if (sortedFiles.nonEmpty) "none if each bucket is one file"
    else if (spec.rows.sortsItself) "own radix sort"
    else "Spark's sorter"

  private def structureTexts: Seq[String] = calls.map(_.structureText).distinct

  private def oneTaskText: Option[String] = placement match {
    case OneTask(why) => Some(s"One task: $why")
    case _ => None
  }

  private def functionTexts: Seq[String] = windowExpressions.map(_.toString)

  protected def inTree: String =
    s"(functions=${list(functionTexts)}, structure=${structureTexts.mkString(", ")}, sort=$sortText)"

  protected def lines: Seq[String] = Seq(
    line("Input", input),
    line("Functions", functionTexts),
    line("Partition by", partitionSpec),
    line("Order by", orderSpec),
    s"Structure: ${structureTexts.mkString(", ")}",
    s"Sort: $sortText",
    line("Output", output)
  ) ++ oneTaskText

  override protected def withNewChildInternal(newChild: SparkPlan): SketchWindowExec = copy(child = newChild)
}
