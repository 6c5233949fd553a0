package chronosketch.spark.explain

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Says in EXPLAIN why something below it runs in Spark's own operator, where Spark's own expressions cannot say so themselves. Its
  * rows are its child's.
  */
final case class FallbackExec(reasons: Seq[String], child: SparkPlan) extends UnaryExecNode {
  override def nodeName: String = "Fallback"
  override def output: Seq[Attribute] = child.output
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def outputPartitioning: Partitioning = child.outputPartitioning

  protected def doExecute(): RDD[InternalRow] = child.execute()

  override def simpleString(maxFields: Int): String = s"$nodeName ${reasons.mkString("[", ", ", "]")}"
  override def verboseString(maxFields: Int): String = simpleString(maxFields)
  override def verboseStringWithOperatorId(): String =
    s"\n$formattedNodeName\nReasons [${reasons.length}]: ${reasons.mkString("[", ", ", "]")}\n"

  override protected def withNewChildInternal(newChild: SparkPlan): FallbackExec = copy(child = newChild)
}
