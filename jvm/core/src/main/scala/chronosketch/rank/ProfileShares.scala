package chronosketch.rank

/** Shares of the elements of a rank profile, with bounds.
  *
  * Guarantee  the exact share, as a double, lies within [[cdfBounds]], and so does [[cdf]]. Neither falls from position to position
  * Units      positions are those of [[RankProfile.position]]; −1 is below the first key
  */
private[rank] trait ProfileShares { this: RankProfile =>

  /** The estimated share of the elements that are ≤ a key at this position. */
  def cdf(position: Int): Double = {
    val (low, high) = cdfBounds(position)
    math.max(low, math.min(high, share(rankLow(position).toDouble + rankHigh(position), position)))
  }

  /** The least and the greatest possible share of the elements that are ≤ a key at this position. */
  def cdfBounds(position: Int): (Double, Double) = {
    val (least, most) = rankBounds(position)
    val mostAbove = b1(position)
    // 0 elements of 0 have no share: then the other bound says all
    (
      if (mostAbove == 0) 1.0 else part(least, mostAbove),
      if (most == 0) 0.0 else part(most, b0(position))
    )
  }

  private def part(atMost: Long, above: Long): Double =
    atMost.toDouble / (if (isCertain) countLow.toDouble else atMost.toDouble + above.toDouble)

  /** The estimated shares of the elements between neighbouring positions, before the first and after the last one. Their sum is 1. */
  def pmf(positions: Array[Int]): Array[Double] = Array.tabulate(positions.length + 1) { i =>
    val from = if (i == 0) -1 else positions(i - 1)
    val to = if (i == positions.length) size - 1 else positions(i)
    // subtract counts, not shares: as doubles, 0.9 − 0.6 is not 0.3
    share(rankLow(to).toDouble + rankHigh(to) - rankLow(from) - rankHigh(from), to)
  }

  private def share(twiceAtMost: Double, position: Int): Double = twiceAtMost / {
    if (isCertain) 2.0 * countLow
    else rankLow(position).toDouble + rankHigh(position) + b0(position) + b1(position)
  }

  private def isCertain: Boolean = countLow == countHigh
}
