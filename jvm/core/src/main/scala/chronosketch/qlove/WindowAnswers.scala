package chronosketch.qlove

import chronosketch.domain.Domain
import chronosketch.rank.Phi
import chronosketch.summary.Estimate

/** Computes the answers of a window of finished panes: by few-k if the kept values suffice, else by the mean of the panes' quantiles. */
private[qlove] trait WindowAnswers {
  def query: Query

  /** The type of the values. */
  def domain: Domain

  /** The number of elements in all panes. */
  def count: Long

  /** The number of panes that have rows. */
  def size: Int

  /** How many panes made by a rule keep no values for φ number i. */
  protected def missing(i: Int, rule: TailRule): Int

  /** How many panes have at least 10 elements above their own quantile number i. */
  protected def dense(i: Int): Int

  /** The values that the panes keep. No pane may be missing. */
  protected def tails(i: Int): WeightedKeys

  /** The mean of the panes' quantiles. */
  protected def mean(i: Int): Estimate

  /** The answer for one of the query's φs; None if there are no rows. Refuses a φ that is not in the query. */
  final def answer(phi: Phi): Option[QloveAnswer] = answer(query.indexOf(phi))

  /** The answers for all φs of the query, in order. */
  final def answers: Vector[QloveAnswer] = query.phis.indices.toVector.flatMap(answer(_))

  private def answer(i: Int): Option[QloveAnswer] = Option.when(size > 0) {
    val phi = query.phis(i)
    val need = FewK.need(phi, count)
    meanReason(i) match {
      case Some(reason) => QloveAnswer(phi, mean(i), reason, need, reached = 0L)
      case None =>
        val values = tails(i)
        values.seek(need) match {
          case Some(key) => QloveAnswer(phi, Estimate.of(key, domain), fewKReason(i), need, values.weight)
          case None => QloveAnswer(phi, mean(i), Reason.BudgetTooSmall, need, values.weight)
        }
    }
  }

  private def meanReason(i: Int): Option[Reason] =
    if (size == 1) Some(Reason.OnePane)
    else if (!query.isHigh(i)) Some(Reason.NotHigh)
    else if (query.budget.contains(0)) Some(Reason.BudgetZero)
    else if (missing(i, TailRule.Sparse) > 0) Some(Reason.Dense)
    else if (missing(i, TailRule.Tenth) > 0) Some(Reason.TooManyValues)
    else None

  private def fewKReason(i: Int): Reason =
    if (query.budget.nonEmpty) Reason.Budget
    else if (dense(i) == 0) Reason.Sparse
    else Reason.FewValues
}
