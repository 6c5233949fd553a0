package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.qlove.{Pane, PaneRecipe, Query}
import chronosketch.spark.sql.{Arguments, EventTime, Phis}
import chronosketch.summary.Recipe

/** Builds one pane of a sliding window whose quantiles are named in advance. The pane stays open to more rows until the last
  * partial result of the group is merged; then it is finished.
  *
  * @param named  the φs
  * @param panes  the number of panes in a full window
  * @param budget the number of values kept per pane for each high φ; if absent, as many as are needed
  */
final case class QloveSketchAggregate(
    value: Expression,
    time: Expression,
    named: Expression,
    panes: Expression,
    budget: Option[Expression],
    planned: Planned = Planned()
) extends TimedAggregate(planned) {
  override def prettyName: String = QloveSketchAggregate.Name
  override def children: Seq[Expression] = Seq(value, time, named, panes) ++ budget

  @transient protected lazy val recipe: Recipe[Pane] = {
    val phis = Phis.of(Arguments.constant(named), named.dataType).all
    PaneRecipe(valueDomain, timeDomain, Query(phis, whole(panes), budget.map(whole)))
  }

  private def whole(e: Expression): Int = Arguments.constant(e).asInstanceOf[Number].intValue

  def call(column: Int): FunctionCall =
    FunctionCall(prettyName, text, column, AsFinishedPane, value.dataType)

  override def checkInputDataTypes(): TypeCheckResult = {
    val checks = Seq(
      () => checkRows(),
      () => Arguments.checkConstantPhi(3, named, "phis"),
      () => Arguments.checkWhole("panes", 1, Query.MostPanes, 4, panes)
    ) ++ budget.map(e => () => Arguments.checkWhole("budget", 0, Int.MaxValue, 5, e)) :+ (() => checkRecipe())
    Arguments.all(checks: _*)
  }

  protected def withPlanned(planned: Planned): QloveSketchAggregate = copy(planned = planned)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): QloveSketchAggregate = copy(
    value = c(0),
    time = c(1),
    named = SketchAggregate.constant(named, c(2)),
    panes = SketchAggregate.constant(panes, c(3)),
    budget = budget.map(SketchAggregate.constant(_, c(4)))
  )
}

object QloveSketchAggregate {
  val Name = "qlove_sketch_agg"

  /** Builds the aggregate from the function's arguments. */
  def of(e: Seq[Expression]): QloveSketchAggregate = new QloveSketchAggregate(
    e(0),
    EventTime.typed(e(1)),
    e(2),
    e(3),
    Option.when(EventTime.isGiven(e(4)))(e(4))
  )
}
