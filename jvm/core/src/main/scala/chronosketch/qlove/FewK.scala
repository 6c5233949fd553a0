package chronosketch.qlove

import chronosketch.counted.SortedCounts
import chronosketch.rank.Phi

/** Decides which of its greatest values a pane keeps for one φ, so that all panes together show the window's tail.
  *
  * Let `need` be the rank of the window's φ-quantile from the top. A pane keeps its `top` greatest values with weight 1, and of the values
  * below those at the ranks top + ⌈interval/2⌉ + j·interval with weight `interval`.
  *
  * Guarantee  the answer is exact if no pane has more than `top` of the window's `need` greatest values, or if the budget is `need`
  * Cost       top + sampled values per pane. Without a budget: less than a tenth of the pane's elements and at most 4 096; but half of
  *            `need` if P(1 − φ) < 10 and a tenth is too little
  * Source     Lim et al. 2019, §4.2; differences: docs/algorithms.md, Where it departs from the paper
  */
private[qlove] final class FewK private (val top: Int, val sampled: Int, val interval: Long) {
  def size: Long = top.toLong + sampled

  /** The values that a pane with these counts keeps, from the top. */
  def tailOf(counts: SortedCounts): Tail = new Tail(
    counts.fromTop(1L, 1L, top),
    counts.fromTop(top + (interval + 1) / 2, interval, sampled),
    interval
  )
}

private[qlove] object FewK {

  /** Without a budget no pane keeps more values for a φ: with such large panes the mean is accurate. */
  final val MaxValues = 4096L

  /** The rank from the top of the φ-quantile of n elements, which is how many of the greatest values determine it. */
  def need(phi: Phi, n: Long): Long = n - phi.rank(n) + 1

  /** The rule for a pane with `elements` elements and φ number i; null if the pane keeps nothing. */
  def of(query: Query, rule: TailRule, i: Int, elements: Long): FewK =
    if (!query.isHigh(i)) null
    else {
      val panes = query.panes.toLong
      val whole = if (elements > Long.MaxValue / panes) Long.MaxValue else elements * panes
      val needed = need(query.phis(i), whole)
      val perPane = needed / panes + math.min(1, needed % panes)
      val budget = query.budget.fold(defaultBudget(query, rule, i, elements, needed, perPane))(_.toLong)
      if (budget == 0L) null else of(elements, needed, perPane, budget)
    }

  private def of(elements: Long, needed: Long, perPane: Long, budget: Long): FewK = {
    val top = topOf(perPane, budget)
    val rest = budget - top
    val interval = if (rest == 0 || needed <= top) 0L else (needed - top + rest - 1) / rest
    val first = top + (interval + 1) / 2
    val within = if (interval == 0 || first > elements) 0L else (elements - first) / interval + 1
    val tops = math.min(top, elements)
    val samples = math.min(rest, within)
    new FewK(tops.toInt, samples.toInt, interval)
  }

  /** If the budget is at most `perPane`, the top values do not suffice, and half of the budget goes to samples. */
  private def topOf(perPane: Long, budget: Long): Long =
    if (perPane >= budget) budget / 2 + budget % 2 else math.min(budget, withMargin(perPane))

  /** `perPane` plus a safety margin. If panes are alike, each has about `perPane` of the `need` greatest elements, with a standard deviation
    * of √perPane. The margin is three standard deviations, but at most `perPane`, plus 2.
    */
  private def withMargin(perPane: Long): Long =
    perPane + math.min(perPane, 3 * math.ceil(math.sqrt(perPane.toDouble)).toLong) + 2

  /** The budget if none was given; 0 if nothing is kept. */
  private def defaultBudget(
      query: Query,
      rule: TailRule,
      i: Int,
      elements: Long,
      needed: Long,
      perPane: Long
  ): Long = {
    val half = needed / 2 + needed % 2
    val sparse = if (query.isSparse(i, elements)) half else 0L
    rule match {
      case TailRule.Sparse => sparse
      // a window of one pane uses the pane's own quantile
      case TailRule.Tenth if query.panes == 1 => 0L
      case TailRule.Tenth =>
        val tops = math.min(needed, withMargin(perPane))
        // with two or three panes, half of what is needed may be less than `tops`
        val enough = if (half < tops) needed else half
        val budget = math.min(enough, math.min(MaxValues, (elements - 1) / 10))
        if (tops <= budget) budget else sparse
    }
  }
}

/** Rules that decide which panes keep values for few-k if no budget was given. A stored pane names its rule.
  *
  * Source     `Sparse`: Lim et al. 2019, §4.3; `Tenth` is not in the paper (docs/algorithms.md, The mean, or few-k)
  */
private[chronosketch] sealed abstract class TailRule(val id: Int) {

  /** The rule of a pane whose parts have different rules: the older one. */
  def orOlder(that: TailRule): TailRule = if (id <= that.id) this else that
}

private[chronosketch] object TailRule {

  /** Panes with few elements above their own quantile keep half of the values that would make the window's answer exact. */
  case object Sparse extends TailRule(0)

  /** Also panes for which less than a tenth of their elements suffices. */
  case object Tenth extends TailRule(1)

  /** The rule of new panes. */
  val Newest: TailRule = Tenth

  val all: Vector[TailRule] = Vector(Sparse, Tenth)
}
