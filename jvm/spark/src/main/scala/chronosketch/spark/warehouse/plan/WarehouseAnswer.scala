package chronosketch.spark.warehouse.plan

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes

import chronosketch.spark.warehouse.answers.Question

/** The answers to a question, in a query. Nothing is read before it runs. */
private[warehouse] final case class WarehouseAnswer(question: Question, output: Seq[Attribute])
    extends LeafNode
    with MultiInstanceRelation {

  /** The columns that tell groups. */
  def by: AttributeSet = AttributeSet(output.take(question.by.length))

  override def newInstance(): WarehouseAnswer = WarehouseAnswer.of(question)

  // how many groups there are, only the summaries tell
  override def computeStats(): Statistics = Statistics(sizeInBytes = BigInt(1 << 20))

  override def simpleString(maxFields: Int): String = s"WarehouseAnswer [${question.text}]"
}

private[warehouse] object WarehouseAnswer {
  def of(question: Question): WarehouseAnswer = WarehouseAnswer(question, toAttributes(question.columns))
}
