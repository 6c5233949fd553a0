package chronosketch.spark.warehouse.plan

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And, Attribute, Expression, Predicate}
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.metric.SQLMetrics

import chronosketch.spark.explain.ExplainedExec
import chronosketch.spark.sql.Conditions
import chronosketch.spark.warehouse.answers.Question

/** Answers on the driver: from summaries, and from the few rows that they leave in doubt.
  *
  * @param ofGroups conditions on the columns of groups; nothing is read for groups that fail them
  */
private[warehouse] final case class WarehouseAnswerExec(
    question: Question,
    ofGroups: Seq[Expression],
    output: Seq[Attribute]
) extends LeafExecNode
    with ExplainedExec {
  override def nodeName: String = "WarehouseAnswer"

  override lazy val metrics = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "rowsRead" -> SQLMetrics.createMetric(sparkContext, "rows read"),
    "bytesRead" -> SQLMetrics.createSizeMetric(sparkContext, "bytes read")
  )

  @transient private lazy val rows: Array[InternalRow] = {
    val condition = ofGroups.reduceOption(And).map(Predicate.create(_, output))
    val context = Map("function" -> question.wanted.function, "path" -> question.path.toString)
    val (answers, read) = Conditions.answering(context) {
      question.answer(session, by => condition.forall(_.eval(by)))
    }
    longMetric("numOutputRows") += answers.size.toLong
    longMetric("rowsRead") += read.rows
    longMetric("bytesRead") += read.bytes
    answers.toArray
  }

  override def executeCollect(): Array[InternalRow] = rows

  protected def doExecute(): RDD[InternalRow] = sparkContext.parallelize(rows.toSeq, 1)

  protected def inTree: String =
    s" [${question.text}]${if (ofGroups.isEmpty) "" else s" of groups ${list(ofGroups)}"}"

  protected def lines: Seq[String] = question.texts ++ Seq(line("Groups", ofGroups), line("Output", output))
}
