package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Aggregates each task's own rows. A group has one row for each task and batch that has rows of it. An
  * [[org.apache.spark.sql.catalyst.plans.logical.Aggregate]] can't say so: over a stream, Spark keeps its groups in state.
  *
  * @param functions aggregate functions without their aggregate expressions, which the optimizer allows in aggregations only
  * @param filters   the filter of each function; true if it has none
  * @param parts     the result of each function
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

  // a constraint on each row need not hold for an aggregate of rows
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet(Seq.empty[Expression])

  override protected def withNewChildInternal(newChild: LogicalPlan): TaskPanes = copy(child = newChild)
}
