package chronosketch.quantile

/** Drops tuples within a limit that grows with the distance of a gap from the end of a tail.
  *
  * Guarantee  if all gaps were within the tolerance, they still are ([[GapLimits]])
  * Units      the limit is a share of the tolerance, in units of 1/[[GapLimits.Whole]]
  */
private final class TailThinning(tuples: UnitedTuples, tolerance: TailTolerance)
    extends Thinning(tuples) {
  private val elements = weightOf(start, end)

  // with one of these bits set, a number of elements is greater than any, so that the other side decides
  private val ignoredBelow = if (tolerance.tail.isLow) 0L else Long.MaxValue
  private val ignoredAbove = if (tolerance.tail.isHigh) 0L else Long.MaxValue

  protected def isRankNeeded: Boolean = true

  protected def measure(): Spread = {
    val k = union.keys
    val whole = tolerance.limits(GapLimits.Whole)
    var most = 0.0
    var uncertain = 0.0
    var gaps = 0
    var rank = 0L
    var i = start
    while (i < end) {
      val g = union.gs(i)
      val delta = union.deltas(i)
      if (g + delta > 1 && (i == start || k(i) != k(i - 1))) {
        val allowed = whole.part * tolerance.tail.nearer(rank, elements - rank - g - delta + 1).toDouble
        most = math.max(most, (g + delta - 1) / allowed)
        uncertain += math.min(1.0, delta / allowed)
        gaps += 1
      }
      rank += g
      i += 1
    }
    val unit = GapLimits.Whole.toDouble
    val largest = math.min(GapLimits.Whole, math.ceil(most * unit).toLong)
    // half of the tolerance leaves that many tuples
    val filled = unit / 2 * tolerance.tuples(1.0, elements)
    new Spread(largest, filled, unit * uncertain / math.max(1, gaps))
  }

  protected def countRemaining(from: Int, until: Int, afterLast: Long, limit: Long, most: Int): Int = {
    val k = union.keys
    val g = union.gs
    val d = union.deltas
    val limits = tolerance.limits(limit)
    val half = limits.half
    val part = limits.part
    val n = elements
    val noBelow = ignoredBelow
    val noAbove = ignoredAbove
    var key = k(until - 1)
    var weight = g(until - 1)
    var delta = d(until - 1)
    var after = afterLast - weight
    var count = 0
    var r = until - 2
    while (r >= from && count <= most) {
      val pair = k(r) == key
      val total = g(r) + weight
      val joined = if (pair) math.max(0L, d(r) - weight) else delta
      val near = math.min((n - after - total) | noBelow, (after - joined + 1) | noAbove)
      val fits = total + joined - 1 <= GapLimits.spare(half, part, near) && !(pair && count == 0)
      after += (if (fits) 0L else weight)
      key = if (fits) key else k(r)
      weight = if (fits) total else g(r)
      delta = if (fits) joined else d(r)
      count += (if (fits) 0 else 1)
      r -= 1
    }
    count
  }

  protected def dropSpan(at: Int, from: Int, until: Int, limit: Long): Int = {
    val k = union.keys
    val g = union.gs
    val d = union.deltas
    val limits = tolerance.limits(limit)
    val half = limits.half
    val part = limits.part
    val n = elements
    val noBelow = ignoredBelow
    val noAbove = ignoredAbove
    val last = end - 1
    var w = at
    // the tuple at w is the successor of the one at r
    var key = k(w)
    var weight = g(w)
    var delta = d(w)
    // the number of elements of the tuples after the successor
    var after = weightOf(w + 1, end)
    var r = until - 1
    while (r >= from) {
      val pair = k(r) == key
      val total = g(r) + weight
      val joined = if (pair) math.max(0L, d(r) - weight) else delta
      val near = math.min((n - after - total) | noBelow, (after - joined + 1) | noAbove)
      // without a branch: both outcomes are about equally likely
      val fits = total + joined - 1 <= GapLimits.spare(half, part, near) && !(pair && w == last)
      after += (if (fits) 0L else weight)
      key = if (fits) key else k(r)
      weight = if (fits) total else g(r)
      delta = if (fits) joined else d(r)
      w -= (if (fits) 0 else 1)
      k(w) = key
      g(w) = weight
      d(w) = delta
      r -= 1
    }
    w
  }
}
