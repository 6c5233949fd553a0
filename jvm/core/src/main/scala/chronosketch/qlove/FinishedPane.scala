package chronosketch.qlove

import chronosketch.Refusal
import chronosketch.counted.SortedCounts
import chronosketch.domain.Cast
import chronosketch.rank.Phi

/** The summary of a pane whose rows are complete: its quantiles and some of its greatest values.
  *
  * Guarantee  its φ-quantiles are exact
  * Cost       three keys per φ, and the values that few-k keeps: at most [[FinishedPane.MaxKept]], else the pane is refused
  * Units      keys; the times `first` and `last` are those of the earliest and latest row
  * Source     Lim et al. 2019, §3.1, Algorithm 1, level 1
  *
  * @param lows  for each φ a key at or below its quantile, [[FinishedPane.spread]] ranks away. With `highs` it estimates the density
  * @param highs for each φ a key at or above its quantile, likewise
  * @param rule  the rule by which values were kept if no budget was given
  * @param tails the kept values for each φ; null if few-k keeps nothing
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

  /** The same pane with its keys cast: a cast keeps order, so the cast quantile is the quantile of the cast values. */
  def castBy(cast: Cast): FinishedPane = new FinishedPane(
    first,
    last,
    count,
    cast.all(quantiles, quantiles.length),
    cast.all(lows, lows.length),
    cast.all(highs, highs.length),
    rule,
    tails.map(tail => if (tail == null) null else tail.castBy(cast))
  )

  /** How many numbers are kept. */
  def variables: Long = {
    var sum = 3L + 3L * quantiles.length
    tails.foreach(t => if (t != null) sum += t.size)
    sum
  }
}

private[qlove] object FinishedPane {

  /** The greatest number of values that a pane keeps for all φ together. Without a limit, a budget and a few counts in stored bytes could
    * demand any amount of memory.
    */
  final val MaxKept: Long = 1L << 24

  def of(
      query: Query,
      rule: TailRule,
      first: Long,
      last: Long,
      count: Long,
      counts: SortedCounts
  ): FinishedPane = {
    val phis = query.phis.toArray
    val fewKs = Array.tabulate(phis.length)(i => FewK.of(query, rule, i, count))
    requireRoom(fewKs)
    val tails = fewKs.map(k => if (k == null) null else k.tailOf(counts))
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

  private def requireRoom(fewKs: Array[FewK]): Unit = {
    val values = fewKs.iterator.filter(_ != null).map(_.size).sum
    if (values > MaxKept)
      throw Refusal(
        "CHRONOSKETCH_PANES_KEEP_TOO_MUCH",
        "values" -> values.toString,
        "limit" -> MaxKept.toString
      )
  }

  /** The standard deviation of the rank of the φ-quantile of n elements, at least 1. */
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
