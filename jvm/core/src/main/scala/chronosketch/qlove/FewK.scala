package chronosketch.qlove

import chronosketch.counted.SortedCounts
import chronosketch.rank.Phi

/** Which of its greatest values does a pane keep for one φ, so that all panes together show the window's tail?
  *
  * With need = the rank of the window's φ-quantile from the top: the first `top` with weight 1, and of those below the ranks
  * top + ⌈interval/2⌉ + j·interval with weight `interval`.
  *
  * Guarantee  the answer is exact where no pane has more than `top` of the window's `need` greatest, or the budget is `need`
  * Cost       top + sampled values a pane. Where no budget was given: less than a tenth of its elements and 4 096 at most, but half of
  *            `need` where P(1 − φ) < 10 and a tenth is too little
  * Source     Lim et al. 2019, §4.2; departs: docs/algorithms.md, Where it departs from the paper
  */
private[qlove] final class FewK private (val top: Int, val sampled: Int, val interval: Long) {
  def kept: Long = top.toLong + sampled

  /** From the top, in order: the values that a pane keeps. */
  def of(counts: SortedCounts): Tail = new Tail(
    counts.fromTop(1L, 1L, top),
    counts.fromTop(top + (interval + 1) / 2, interval, sampled),
    interval
  )
}

private[qlove] object FewK {

  /** No pane keeps more for a φ unless it is told to: the mean of panes so large is near. */
  final val Most = 4096L

  /** The φ-quantile of n elements as a rank from the greatest: as many values make it exact. */
  def need(phi: Phi, n: Long): Long = n - phi.rank(n) + 1

  /** Of a pane of so many elements, the i-th φ; null where none are kept. */
  def of(query: Query, rule: TailRule, i: Int, elements: Long): FewK =
    if (!query.isHigh(i)) null
    else {
      val panes = query.panes.toLong
      val whole = if (elements > Long.MaxValue / panes) Long.MaxValue else elements * panes
      val needed = need(query.phis(i), whole)
      val each = needed / panes + math.min(1, needed % panes)
      val budget = query.budget.fold(unnamed(query, rule, i, elements, needed, each))(_.toLong)
      if (budget == 0L) null else of(elements, needed, each, budget)
    }

  private def of(elements: Long, needed: Long, each: Long, budget: Long): FewK = {
    val top = topOf(each, budget)
    val rest = budget - top
    val interval = if (rest == 0 || needed <= top) 0L else (needed - top + rest - 1) / rest
    val first = top + (interval + 1) / 2
    val within = if (interval == 0 || first > elements) 0L else (elements - first) / interval + 1
    val tops = math.min(top, elements)
    val samples = math.min(rest, within)
    new FewK(tops.toInt, samples.toInt, interval)
  }

  /** A budget that does not reach to `each` can't tell by tops alone: half of it is sampled. */
  private def topOf(each: Long, budget: Long): Long =
    if (each >= budget) budget / 2 + budget % 2 else math.min(budget, spared(each))

  /** Where panes are alike, `need` of m·P elements lie `each` to a pane, give or take √each: three times that and 2 are spared, if no
    * more than twice as many.
    */
  private def spared(each: Long): Long =
    each + math.min(each, 3 * math.ceil(math.sqrt(each.toDouble)).toLong) + 2

  /** The budget of one who named none; 0 where nothing is kept. */
  private def unnamed(
      query: Query,
      rule: TailRule,
      i: Int,
      elements: Long,
      needed: Long,
      each: Long
  ): Long = {
    val half = needed / 2 + needed % 2
    val sparse = if (query.isSparse(i, elements)) half else 0L
    rule match {
      case TailRule.Sparse => sparse
      // nothing is put together from one pane
      case TailRule.Tenth if query.panes == 1 => 0L
      case TailRule.Tenth =>
        val tops = math.min(needed, spared(each))
        // half of what is needed does not spare enough for two panes, or three
        val enough = if (half < tops) needed else half
        val budget = math.min(enough, math.min(Most, (elements - 1) / 10))
        if (tops <= budget) budget else sparse
    }
  }
}
