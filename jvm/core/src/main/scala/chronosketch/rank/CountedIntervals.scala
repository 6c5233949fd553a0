package chronosketch.rank

/** Builds rank profiles from intervals whose element counts are known.
  *
  * Guarantee  [[profile]] assumes nothing about where in its interval an element lies: all elements of an interval are ≤ x from its end
  *            on, and none is before its beginning. [[estimates]] lie within it, and have the same keys
  * Cost       O(n), two keys per interval
  */
private[chronosketch] object CountedIntervals {

  /** Interval i has `counts(i)` elements from `lows(i)` to `highs(i)`. Both arrays are in ascending order; intervals may overlap. */
  def profile(lows: Array[Long], highs: Array[Long], counts: Array[Long], total: Long): RankProfile = {
    val n = lows.length
    val keys, atLeast, atMost = new Array[Long](2 * n)
    var begun, ended, o = 0
    var below, reached = 0L
    while (ended < n) {
      val key = if (begun < n) math.min(lows(begun), highs(ended)) else highs(ended)
      while (begun < n && lows(begun) <= key) { reached += counts(begun); begun += 1 }
      while (ended < begun && highs(ended) <= key) { below += counts(ended); ended += 1 }
      keys(o) = key
      atLeast(o) = below
      atMost(o) = reached
      o += 1
    }
    RankProfile.certain(o, keys, atLeast, atMost, total)
  }

  /** The ranks if `first(i)` elements of interval i are at its beginning, and the others at its end. */
  def estimates(
      lows: Array[Long],
      highs: Array[Long],
      counts: Array[Long],
      first: Array[Long]
  ): RankProfile = {
    val last = Array.tabulate(counts.length)(i => counts(i) - first(i))
    profile(lows, lows, first, first.sum).plus(profile(highs, highs, last, last.sum))
  }
}
