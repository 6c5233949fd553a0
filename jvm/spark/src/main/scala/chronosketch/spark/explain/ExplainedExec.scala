package chronosketch.spark.explain

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Formats an operator of chronosketch for EXPLAIN: one line in the tree, and a paragraph of lines in EXPLAIN FORMATTED. */
private[spark] trait ExplainedExec extends SparkPlan {

  /** The text after the operator's name in the tree. */
  protected def inTree: String

  /** The lines below the name in EXPLAIN FORMATTED. */
  protected def lines: Seq[String]

  final override def simpleString(maxFields: Int): String = nodeName + inTree
  final override def verboseString(maxFields: Int): String = simpleString(maxFields)
  final override def verboseStringWithOperatorId(): String =
    (formattedNodeName +: lines).mkString("\n", "\n", "\n")

  /** A line with a list and the number of its elements. */
  protected def line(name: String, values: Seq[Any]): String = s"$name [${values.length}]: ${list(values)}"

  protected def list(values: Seq[Any]): String = values.mkString("[", ", ", "]")
}

/** Shows in EXPLAIN why an operator below it is Spark's own, for cases in which Spark's expressions cannot show it. Passes the rows of
  * its child through.
  */
final case class FallbackExec(reasons: Seq[String], child: SparkPlan) extends UnaryExecNode
    with ExplainedExec {
  override def nodeName: String = "Fallback"
  override def output: Seq[Attribute] = child.output
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def outputPartitioning: Partitioning = child.outputPartitioning

  protected def doExecute(): RDD[InternalRow] = child.execute()

  protected def inTree: String = " " + list(reasons)
  protected def lines: Seq[String] = Seq(line("Reasons", reasons))

  override protected def withNewChildInternal(newChild: SparkPlan): FallbackExec = copy(child = newChild)
}
