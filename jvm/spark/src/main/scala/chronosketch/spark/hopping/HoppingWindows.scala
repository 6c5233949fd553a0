package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeSet, Expression, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Panes, one row each, as windows: every window that has one of them, once for each key.
  *
  * @param by     the keys
  * @param pane   the number of a row's pane, none twice for a key
  * @param start  of a window, and its end: microseconds
  * @param merges each the alias of an aggregate function, as it stands: the plan's rules know aggregate expressions in
  *               aggregations alone
  */
final case class HoppingWindows(
    by: Seq[Attribute],
    pane: Attribute,
    hop: Hop,
    start: Attribute,
    end: Attribute,
    merges: Seq[Alias],
    child: LogicalPlan
) extends UnaryNode {
  override def output: Seq[Attribute] = by ++ Seq(start, end) ++ merges.map(_.toAttribute)
  override def producedAttributes: AttributeSet =
    AttributeSet(Seq(start, end) ++ merges.map(_.toAttribute))

  // what holds for each pane need not hold for what they make together
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet(Seq.empty[Expression])

  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingWindows = copy(child = newChild)
}
