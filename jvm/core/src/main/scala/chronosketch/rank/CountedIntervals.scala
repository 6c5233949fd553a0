package chronosketch.rank

/** What do intervals make certain about ranks, where of each is known how many elements it has, and nothing of where in it they are?
  *
  * Guarantee  all of an interval is not above a key from its end on, and nothing of it before its beginning
  * Cost       O(n), two keys an interval
  */
private[chronosketch] object CountedIntervals {

  /** The interval i has `counts(i)` elements from `lows(i)` to `highs(i)`. Neither ends nor beginnings fall; they may overlap. */
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
}
