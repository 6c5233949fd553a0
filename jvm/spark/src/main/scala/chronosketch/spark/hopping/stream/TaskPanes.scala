package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** An aggregation of each task's own rows: a group may have several rows, none of them of rows of two tasks or batches. What an
  * [[org.apache.spark.sql.catalyst.plans.logical.Aggregate]] would mean otherwise: over a stream Spark keeps its groups.
  *
  * @param functions aggregate functions, as they stand: the plan's rules know aggregate expressions in aggregations alone
  * @param filters   of each function; true: none
  * @param parts     what each function answers
  */
final case class TaskPanes(
    keys: Seq[Attribute],
    functions: Seq[Expression],
    filters: Seq[Expression],
    parts: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def output: Seq[Attribute] = keys ++ parts
  override def producedAttributes: AttributeSet = AttributeSet(parts)

  // what holds for each row need not hold for what they make together
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet(Seq.empty[Expression])

  override protected def withNewChildInternal(newChild: LogicalPlan): TaskPanes = copy(child = newChild)
}
