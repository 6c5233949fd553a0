package chronosketch.history.span

import java.util.Arrays

import chronosketch.domain.Domain
import chronosketch.rank.RankProfile

/** Derives certain rank bounds from a sequence of increasing boundaries and the approximate number of elements below each.
  *
  * Guarantee  docs/algorithms.md, Any past version
  * Cost       one pass
  */
private[history] final class Boundaries(expected: Int) {
  // boundary and number of elements below it, alternating
  private var rows = new Array[Long](2 * math.max(8, expected))
  private var n = 0

  /** Adds the boundary at which a cell begins, and the number of elements below it. */
  def add(start: Long, elements: Long): Unit = {
    if (2 * n == rows.length) rows = Arrays.copyOf(rows, 4 * n)
    rows(2 * n) = start
    rows(2 * n + 1) = elements
    n += 1
  }

  private def starts(i: Int): Long = rows(2 * i)
  private def below(i: Int): Long = rows(2 * i + 1)

  /** The quantile that the whole profile would answer, or None if these boundaries do not suffice or a key near it is alone in its cell.
    *
    * A profile of these few boundaries would give the same answer, but it takes longer to build than they take to find.
    *
    * @param reached how many boundaries, the last ones, have at least the target rank of elements below them
    * @param isFirst whether the first boundary is the span's first
    * @param isLast  whether the last boundary is the span's last
    */
  def quantile(
      reached: Int,
      isFirst: Boolean,
      isLast: Boolean,
      target: QuantileTarget,
      span: CountedSpan,
      version: Long,
      count: Long
  ): Option[Long] = {
    var i = n - reached - 1
    // the last key ends the profile
    if (isLast) add(span.greatest, count)
    if (i < 0 || (i == 0 && !isFirst) || !isOwnKey(i, isLast, span)) None
    else {
      var excess = target.excess(if (i == 0) 0L else atMost(i - 1, target, span, version))
      var deficit = target.deficit(atLeast(i, isLast, target, span, version))
      // the answer is where the excess exceeds the deficit
      var isFound = excess >= deficit
      var isKnown = !isFound || i == 0
      while (isKnown && !isFound) {
        val error = Boundaries.error(deficit, excess)
        i += 1
        if (i + (if (isLast) 0 else 1) >= n) { isFound = isLast; isKnown = isLast; i -= 1 }
        else if (!isOwnKey(i, isLast, span)) isKnown = false
        else {
          excess = target.excess(atMost(i - 1, target, span, version))
          deficit = target.deficit(atLeast(i, isLast, target, span, version))
          isFound = excess >= deficit
          if (isFound && error <= Boundaries.error(deficit, excess)) i -= 1
        }
      }
      if (isKnown) Some(math.max(starts(i), span.least)) else None
    }
  }

  /** Whether boundary i is a key of the profile and this key is not alone in its cell. */
  private def isOwnKey(i: Int, isLast: Boolean, span: CountedSpan): Boolean =
    (i == 0 || (starts(i) > span.least && starts(i) - 1 > starts(i - 1))) &&
      (i + 1 == n || starts(i + 1) - 1 > starts(i)) &&
      (starts(i) < span.greatest || (isLast && i == n - 1))

  /** The greatest and the least number of elements up to the key of boundary i, which is not alone in its cell. */
  private def atMost(i: Int, target: QuantileTarget, span: CountedSpan, version: Long): Long =
    math.min(
      target.maxCount,
      CountedSpan.plus(
        math.min(below(i + 1), CountedSpan.plus(below(i), span.tolerance.content)),
        span.rankError(version)
      )
    )

  private def atLeast(
      i: Int,
      isLast: Boolean,
      target: QuantileTarget,
      span: CountedSpan,
      version: Long
  ): Long =
    if (isLast && i == n - 1) target.minCount
    else {
      val sure = math.max(below(i), below(i + 1) - span.tolerance.content) - span.rankError(version)
      math.max(0L, math.min(sure, math.min(atMost(i, target, span, version), target.minCount)))
    }

  /** The profile of a version of a span.
    *
    * @param isLast whether the last boundary is the span's last
    */
  def profile(
      span: CountedSpan,
      isLast: Boolean,
      version: Long,
      count: Long,
      domain: Domain
  ): RankProfile = {
    val error = span.rankError(version)
    val content = span.tolerance.content
    val maxCount = span.maxCount(count, version)
    val minCount = span.minCount(count, version)
    val keys, low, high = new Array[Long](n + 1)
    var o = 0
    var i = 0
    while (i < n) {
      val start = starts(i)
      val current = below(i)
      val next = if (i + 1 < n) below(i + 1) else if (isLast) count else current
      val isAlone = i + 1 < n && starts(i + 1) - 1 == start
      val follows = i > 0 && start - 1 == starts(i - 1)
      val atMost =
        math.min(
          maxCount,
          CountedSpan.plus(if (isAlone) next else math.min(next, CountedSpan.plus(current, content)), error)
        )
      if (follows && !(isAlone && domain.holds(start))) high(o - 1) = atMost
      else {
        val sure = (if (isAlone) next else math.max(current, next - content)) - error
        val key = math.max(start, span.least)
        // no element is below the span's least: if several cells begin there or before, only the last counts
        if (o == 0 || keys(o - 1) < key) o += 1
        keys(o - 1) = key
        low(o - 1) = math.max(0L, math.min(sure, math.min(atMost, minCount)))
        high(o - 1) = atMost
      }
      i += 1
    }
    if (isLast) {
      while (o > 0 && keys(o - 1) >= span.greatest) o -= 1
      keys(o) = span.greatest
      low(o) = minCount
      high(o) = maxCount
      o += 1
    }
    RankProfile.between(o, keys, low, high, minCount, maxCount)
  }
}

private object Boundaries {
  private def error(deficit: Long, excess: Long): Long = math.max(0L, math.max(deficit, excess))
}
