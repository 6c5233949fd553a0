package chronosketch.spark.explain

import org.apache.spark.sql.execution.SparkPlan

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
