package chronosketch.spark.history.operator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import chronosketch.spark.explain.ExplainedExec
import chronosketch.spark.sql.SparkVersion

/** Builds the histories of each group, one group after the other, from rows that Spark has sorted by group and version.
  *
  * Guarantee  the answers equal those of the same functions in Spark's operator, to the bit
  * Cost       per row one comparison of its keys and one update per call. Memory: the values of one group that are alive at the same time.
  *            Spark may spill the sort
  * Merge      none: all rows of a group go to one task
  *
  * @param keys     the first columns of the child
  * @param version  the next column of the child: the key of the version, or NULL
  * @param calls    their arguments are the remaining columns of the child
  * @param produced the columns after the keys in an output row: the calls' answers
  */
final case class HistoryAggregateExec(
    keys: Seq[Attribute],
    version: Attribute,
    calls: Seq[HistoryCall],
    produced: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode
    with ExplainedExec {
  override def nodeName: String = "HistoryAggregate"

  override def output: Seq[Attribute] = keys ++ produced

  override def producedAttributes: AttributeSet = AttributeSet(produced)

  override def requiredChildDistribution: List[Distribution] =
    if (keys.isEmpty) List(AllTuples) else List(SparkVersion.clustered(keys))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq((keys :+ version).map(SortOrder(_, Ascending)))

  override def outputOrdering: Seq[SortOrder] = keys.map(SortOrder(_, Ascending))

  override def outputPartitioning: Partitioning = child.outputPartitioning match {
    case p: Expression if !p.references.subsetOf(outputSet) =>
      UnknownPartitioning(child.outputPartitioning.numPartitions)
    case p => p
  }

  override lazy val metrics = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "peakMemory" -> SQLMetrics.createSizeMetric(sparkContext, "peak memory", -1)
  )

  protected def doExecute(): RDD[InternalRow] = {
    val spec = HistorySpec(
      BindReferences.bindReferences(keys, child.output),
      keys.length,
      calls,
      longMetric("numOutputRows"),
      longMetric("peakMemory")
    )
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      new HistoryIterator(spec, partition, rows)
    }
  }

  private def functions: Seq[String] = calls.map(_.text)

  protected def inTree: String = s"(keys=${list(keys)}, functions=${list(functions)})"

  protected def lines: Seq[String] = Seq(
    line("Input", child.output),
    line("Keys", keys),
    line("Functions", functions),
    line("Output", output)
  )

  override protected def withNewChildInternal(newChild: SparkPlan): HistoryAggregateExec =
    copy(child = newChild)
}
