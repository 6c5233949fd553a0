package chronosketch.qlove

import chronosketch.Refusal
import chronosketch.counted.SortedCounts
import chronosketch.rank.Phi

/** What is left of a pane when its rows are gone.
  *
  * Guarantee  its φ-quantiles are exact
  * Cost       three keys a φ, and what few-k keeps: [[FinishedPane.MostKept]] at most, or it is refused
  * Units      times [first, last], of its earliest and latest row; keys
  * Source     Lim et al. 2019, §3.1, Algorithm 1, level 1
  *
  * @param lows  for each φ a key below its quantile, and `highs` one above, [[FinishedPane.spread]] ranks away: what the
  *              density is told by
  * @param rule  by which values are kept where no budget was given
  * @param tails for each φ; null where few-k keeps nothing
  */
private[qlove] final class FinishedPane(
    val first: Long,
    val last: Long,
    val count: Long,
    val quantiles: Array[Long],
    val lows: Array[Long],
    val highs: Array[Long],
    val rule: TailRule,
    val tails: Array[Tail]
) {

  /** Numbers kept. */
  def variables: Long = {
    var sum = 3L + 3L * quantiles.length
    tails.foreach(t => if (t != null) sum += t.size)
    sum
  }
}

private[qlove] object FinishedPane {

  /** What a pane keeps for all φ together. A budget and a few counts of a stored pane can ask for any memory. */
  final val MostKept: Long = 1L << 24

  def of(
      query: Query,
      rule: TailRule,
      first: Long,
      last: Long,
      count: Long,
      counts: SortedCounts
  ): FinishedPane = {
    val phis = query.phis.toArray
    val kept = Array.tabulate(phis.length)(i => FewK.of(query, rule, i, count))
    requireRoom(kept)
    val tails = kept.map(k => if (k == null) null else k.of(counts))
    new FinishedPane(
      first,
      last,
      count,
      phis.map(phi => counts.at(phi.rank(count))),
      phis.map(phi => counts.at(lowRank(phi, count))),
      phis.map(phi => counts.at(highRank(phi, count))),
      rule,
      tails
    )
  }

  private def requireRoom(kept: Array[FewK]): Unit = {
    val values = kept.iterator.filter(_ != null).map(_.kept).sum
    if (values > MostKept)
      throw Refusal(
        "CHRONOSKETCH_PANES_KEEP_TOO_MUCH",
        "values" -> values.toString,
        "limit" -> MostKept.toString
      )
  }

  /** As many ranks as the φ-quantile of so many elements is off by chance: their standard deviation. */
  private def spread(phi: Phi, n: Long): Long = {
    val p = phi.decimal.doubleValue
    math.max(1L, math.sqrt(n.toDouble * p * (1 - p)).toLong)
  }

  def lowRank(phi: Phi, n: Long): Long = math.max(1L, phi.rank(n) - spread(phi, n))
  def highRank(phi: Phi, n: Long): Long = {
    val rank = phi.rank(n)
    rank + math.min(n - rank, spread(phi, n))
  }
}
