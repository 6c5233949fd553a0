package chronosketch.spark.warehouse.plan

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes

import chronosketch.spark.warehouse.answers.Question

/** The logical plan of a query to a warehouse. Nothing is read before it runs. */
private[warehouse] final case class WarehouseAnswer(question: Question, output: Seq[Attribute])
    extends LeafNode
    with MultiInstanceRelation {

  /** The columns that identify groups. */
  def by: AttributeSet = AttributeSet(output.take(question.by.length))

  override def newInstance(): WarehouseAnswer = WarehouseAnswer.of(question)

  // a guess: only the summaries contain the number of groups
  override def computeStats(): Statistics = Statistics(sizeInBytes = BigInt(1 << 20))

  override def simpleString(maxFields: Int): String = s"WarehouseAnswer [${question.text}]"
}

private[warehouse] object WarehouseAnswer {
  def of(question: Question): WarehouseAnswer = WarehouseAnswer(question, toAttributes(question.columns))
}
