package chronosketch.spark.explain

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

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
