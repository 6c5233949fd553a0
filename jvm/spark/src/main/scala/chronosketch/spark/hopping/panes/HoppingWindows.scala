package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Panes, one row each, as windows: every window that has one of them, once for each key.
  *
  * @param by     the keys
  * @param pane   the number of a row's pane, none twice for a key
  * @param start  of a window, and its end: microseconds
  * @param merges aggregate functions as they stand: the plan's rules know aggregate expressions in aggregations alone
  * @param merged what each of them answers: outside projections the rules take aliases away
  */
final case class HoppingWindows(
    by: Seq[Attribute],
    pane: Attribute,
    hop: Hop,
    start: Attribute,
    end: Attribute,
    merges: Seq[Expression],
    merged: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def output: Seq[Attribute] = by ++ Seq(start, end) ++ merged
  override def producedAttributes: AttributeSet =
    AttributeSet(Seq(start, end) ++ merged)

  // what holds for each pane need not hold for what they make together
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet(Seq.empty[Expression])

  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingWindows = copy(child = newChild)
}
