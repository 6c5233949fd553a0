package chronosketch.ddsketch

import chronosketch.rank.{CountedIntervals, RankProfile}

/** Derives ranks from counts of bins: all elements of a bin are at or below its greatest key, and none is below its least key.
  *
  * Guarantee  the exact ranks lie within [[profile]], and so do the [[estimates]], which never fall from key to key
  * Cost       O(m), m the number of bins
  *
  * The minimum and the maximum are known elements. They are intervals of their own, and are taken from the counts of their bins.
  */
private[ddsketch] final class BinIntervals(keys: BinKeys, stored: StoredBins) {
  private val bins = stored.bins.keys
  private val m = bins.length
  private val lows, highs, counts = new Array[Long](m + 2)

  private def set(i: Int, low: Long, high: Long, count: Long): Unit = {
    lows(i) = low
    highs(i) = high
    counts(i) = count
  }

  set(0, stored.least, stored.least, 1L)
  for (i <- 0 until m) {
    val bin = bins(i).toInt
    val (low, high) = (math.max(stored.least, keys.least(bin)), math.min(stored.greatest, keys.greatest(bin)))
    set(i + 1, low, high, stored.bins.counts(i))
  }
  // a single element is both the minimum and the maximum
  set(m + 1, stored.greatest, stored.greatest, if (stored.total > 1) 1L else 0L)
  counts(1) -= 1
  counts(m) -= counts(m + 1)

  /** Bounds on the ranks. */
  lazy val profile: RankProfile = CountedIntervals.profile(lows, highs, counts, stored.total)

  /** The likeliest ranks of values that are looked up.
    *
    * A bin with many more elements than its neighbours has a value that many elements are equal to. Those who look up a value in this bin
    * mostly mean that one, so these elements count from the beginning of the bin on; in the bin of the maximum they are equal to it.
    * Half of the others count, as they lie anywhere in the bin.
    */
  lazy val estimates: RankProfile =
    CountedIntervals.estimates(lows, highs, counts, Array.tabulate(m + 2)(first))

  /** How many elements of an interval count from its beginning on. */
  private def first(i: Int): Long =
    if (i == 0 || i == m + 1) counts(i)
    else {
      val spread = math.max(spreadLike(i, i - 1), spreadLike(i, i + 1))
      if (i < m) counts(i) - spread + spread / 2
      // with a single bin nothing says whether they are equal to the minimum or to the maximum
      else if (m == 1) counts(i) / 2
      else spread / 2
    }

  /** How many elements a bin would have if they were as dense as in a neighbour, at most those that it has. */
  private def spreadLike(i: Int, neighbour: Int): Long = {
    val isNeighbour = neighbour >= 1 && neighbour <= m && math.abs(bins(i - 1) - bins(neighbour - 1)) == 1
    // a bin of one value says nothing about others
    if (!isNeighbour || lows(neighbour) == highs(neighbour)) 0L
    else {
      val alike = counts(neighbour).toDouble * width(i) / width(neighbour)
      if (alike < counts(i).toDouble) alike.toLong else counts(i)
    }
  }

  private def width(i: Int): Double = keys.width(lows(i), highs(i))
}
