package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Merges panes into windows: every window that has a pane, once for each key.
  *
  * @param by     the keys
  * @param pane   the number of a row's pane; a key has one row for each pane
  * @param start  the start of a window in microseconds, like its end
  * @param merges aggregate functions without their aggregate expressions, which the optimizer allows in aggregations only
  * @param merged the result of each function; not aliases, because the optimizer removes these outside projections
  */
final case class HoppingWindows(
    by: Seq[Attribute],
    pane: Attribute,
    assigner: WindowAssigner,
    start: Attribute,
    end: Attribute,
    merges: Seq[Expression],
    merged: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def output: Seq[Attribute] = by ++ Seq(start, end) ++ merged
  override def producedAttributes: AttributeSet =
    AttributeSet(Seq(start, end) ++ merged)

  // a constraint on each pane need not hold for an aggregate of panes
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet(Seq.empty[Expression])

  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingWindows = copy(child = newChild)
}
