package chronosketch.qlove

import chronosketch.domain.Domain
import chronosketch.rank.Phi
import chronosketch.summary.Estimate

/** How does a window of finished panes come to its answers? By few-k where it may and reaches far enough, else by the mean. */
private[qlove] trait Answering {
  def query: Query

  /** The type of the values. */
  def domain: Domain

  /** Elements of all panes. */
  def count: Long

  /** Panes that have rows. */
  def size: Int

  /** How many panes keep nothing for the i-th φ, of those that a rule made. */
  protected def missing(i: Int, rule: TailRule): Int

  /** How many panes have enough elements above their own i-th quantile. */
  protected def dense(i: Int): Int

  /** What they keep; where none is missing. */
  protected def tails(i: Int): WeightedKeys

  /** The mean of their quantiles. */
  protected def mean(i: Int): Estimate

  /** The answer for one of the query's φs; none where there are no rows. A φ that was not named is refused. */
  final def answer(phi: Phi): Option[QloveAnswer] = answer(query.indexOf(phi))

  /** Those for all of them, in their order. */
  final def answers: Vector[QloveAnswer] = query.phis.indices.toVector.flatMap(answer(_))

  private def answer(i: Int): Option[QloveAnswer] = Option.when(size > 0) {
    val phi = query.phis(i)
    val need = FewK.need(phi, count)
    whyMean(i) match {
      case Some(reason) => QloveAnswer(phi, mean(i), reason, need, reached = 0L)
      case None =>
        val kept = tails(i)
        kept.seek(need) match {
          case Some(key) => QloveAnswer(phi, Estimate.of(key, domain), whyFewK(i), need, kept.weight)
          case None => QloveAnswer(phi, mean(i), Reason.BudgetTooSmall, need, kept.weight)
        }
    }
  }

  private def whyMean(i: Int): Option[Reason] =
    if (size == 1) Some(Reason.OnePane)
    else if (!query.isHigh(i)) Some(Reason.NotHigh)
    else if (query.budget.contains(0)) Some(Reason.BudgetZero)
    else if (missing(i, TailRule.Sparse) > 0) Some(Reason.Dense)
    else if (missing(i, TailRule.Tenth) > 0) Some(Reason.Dear)
    else None

  private def whyFewK(i: Int): Reason =
    if (query.budget.nonEmpty) Reason.Budget
    else if (dense(i) == 0) Reason.Sparse
    else Reason.Cheap
}
