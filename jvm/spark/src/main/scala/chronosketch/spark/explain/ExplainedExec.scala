package chronosketch.spark.explain

import org.apache.spark.sql.execution.SparkPlan

/** How EXPLAIN shows an operator of ours: one line in the tree, and a paragraph of lines in EXPLAIN FORMATTED. */
private[spark] trait ExplainedExec extends SparkPlan {

  /** What stands behind the name in the tree. */
  protected def inTree: String

  /** The lines below the name in EXPLAIN FORMATTED. */
  protected def lines: Seq[String]

  final override def simpleString(maxFields: Int): String = nodeName + inTree
  final override def verboseString(maxFields: Int): String = simpleString(maxFields)
  final override def verboseStringWithOperatorId(): String =
    (formattedNodeName +: lines).mkString("\n", "\n", "\n")

  /** A line that counts what it lists. */
  protected def line(name: String, values: Seq[Any]): String = s"$name [${values.length}]: ${list(values)}"

  protected def list(values: Seq[Any]): String = values.mkString("[", ", ", "]")
}
