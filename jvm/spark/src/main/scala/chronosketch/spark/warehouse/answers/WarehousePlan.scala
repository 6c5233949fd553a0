package chronosketch.spark.warehouse.answers

import scala.annotation.tailrec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  AttributeSet,
  Expression,
  Predicate,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LeafNode, LogicalPlan, Project, Statistics}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{FilterExec, LeafExecNode, ProjectExec, SparkPlan, SparkStrategy}

import chronosketch.spark.explain.ExplainedExec
import chronosketch.spark.sql.Conditions

/** The logical plan of a query to a warehouse. Nothing is read before it runs. */
private[warehouse] final case class WarehouseAnswer(query: WarehouseQuery, output: Seq[Attribute])
    extends LeafNode
    with MultiInstanceRelation {

  /** The columns that identify groups. */
  def by: AttributeSet = AttributeSet(output.take(query.by.length))

  override def newInstance(): WarehouseAnswer = WarehouseAnswer.of(query)

  // a guess: only the summaries contain the number of groups
  override def computeStats(): Statistics = Statistics(sizeInBytes = BigInt(1 << 20))

  override def simpleString(maxFields: Int): String = s"WarehouseAnswer [${query.text}]"
}

private[warehouse] object WarehouseAnswer {
  def of(query: WarehouseQuery): WarehouseAnswer = WarehouseAnswer(query, toAttributes(query.columns))
}

/** Answers a query on the driver, from summaries and from the few rows that they leave in doubt.
  *
  * @param ofGroups conditions on the columns of groups; nothing is read for groups that fail them
  */
private[warehouse] final case class WarehouseAnswerExec(
    query: WarehouseQuery,
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
    val context = Map("function" -> query.answers.function, "path" -> query.path.toString)
    val (answerRows, read) = Conditions.answering(context) {
      query.run(session, by => condition.forall(_.eval(by)))
    }
    longMetric("numOutputRows") += answerRows.size.toLong
    longMetric("rowsRead") += read.rows
    longMetric("bytesRead") += read.bytes
    answerRows.toArray
  }

  override def executeCollect(): Array[InternalRow] = rows

  protected def doExecute(): RDD[InternalRow] = sparkContext.parallelize(rows.toSeq, 1)

  protected def inTree: String =
    s" [${query.text}]${if (ofGroups.isEmpty) "" else s" of groups ${list(ofGroups)}"}"

  protected def lines: Seq[String] = query.texts ++ Seq(line("Groups", ofGroups), line("Output", output))
}

/** Plans queries to warehouses. Conditions on groups are pushed down, so that only the groups that pass are answered. */
private[spark] object WarehouseStrategy extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = if (asksWarehouse(plan)) planned(plan) else Nil

  // collecting the conditions of every plan takes longer than all our other strategies together
  @tailrec private def asksWarehouse(plan: LogicalPlan): Boolean = plan match {
    case _: Project | _: Filter => asksWarehouse(plan.children.head)
    case _ => plan.isInstanceOf[WarehouseAnswer]
  }

  private def planned(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalOperation(columns, conditions, answer: WarehouseAnswer) =>
      def isOfGroups(e: Expression): Boolean =
        e.deterministic && e.references.nonEmpty && e.references.subsetOf(answer.by) &&
          !SubqueryExpression.hasSubquery(e)
      val (ofGroups, others) = conditions.partition(isOfGroups)
      val leaf = WarehouseAnswerExec(answer.query, ofGroups, answer.output)
      val filtered = others.reduceOption(And).fold[SparkPlan](leaf)(FilterExec(_, leaf))
      Seq(if (columns == answer.output) filtered else ProjectExec(columns, filtered))
    case _ => Nil
  }
}
