package chronosketch.history.span

import java.util.Arrays

import chronosketch.domain.Domain
import chronosketch.rank.RankProfile

/** What is certain about ranks, where for some numbers that rise it is known how many elements are below each, about?
  *
  * Guarantee  docs/algorithms.md, Any past version
  * Cost       a pass
  */
private[history] final class Boundaries(expected: Int) {
  // start and elements below in turns
  private var rows = new Array[Long](2 * math.max(8, expected))
  private var n = 0

  /** A cell begins, and so many elements are below it. */
  def add(start: Long, elements: Long): Unit = {
    if (2 * n == rows.length) rows = Arrays.copyOf(rows, 4 * n)
    rows(2 * n) = start
    rows(2 * n + 1) = elements
    n += 1
  }

  private def starts(i: Int): Long = rows(2 * i)
  private def below(i: Int): Long = rows(2 * i + 1)

  /** The quantile that the whole profile answers; none where that takes more boundaries, or a key that stands alone. `reached` of them,
    * the last, have no fewer elements below them than the rank sought; `isFirst` and `isLast` where they begin or end the span's.
    *
    * A profile of these few would say the same, but to make it takes longer than to find them.
    */
  def quantile(
      reached: Int,
      isFirst: Boolean,
      isLast: Boolean,
      sought: Sought,
      span: CountedSpan,
      version: Long,
      count: Long
  ): Option[Long] = {
    var i = n - reached - 1
    // the last key ends the profile
    if (isLast) add(span.greatest, count)
    if (i < 0 || (i == 0 && !isFirst) || !isOwnKey(i, isLast, span)) None
    else {
      var excess = sought.excess(if (i == 0) 0L else atMost(i - 1, sought, span, version))
      var deficit = sought.deficit(atLeast(i, isLast, sought, span, version))
      // the answer lies where the one outgrows the other
      var isFound = excess >= deficit
      var isKnown = !isFound || i == 0
      while (isKnown && !isFound) {
        val error = Boundaries.error(deficit, excess)
        i += 1
        if (i + (if (isLast) 0 else 1) >= n) { isFound = isLast; isKnown = isLast; i -= 1 }
        else if (!isOwnKey(i, isLast, span)) isKnown = false
        else {
          excess = sought.excess(atMost(i - 1, sought, span, version))
          deficit = sought.deficit(atLeast(i, isLast, sought, span, version))
          isFound = excess >= deficit
          if (isFound && error <= Boundaries.error(deficit, excess)) i -= 1
        }
      }
      if (isKnown) Some(math.max(starts(i), span.least)) else None
    }
  }

  /** Whether a boundary begins a key of its own, which is not alone in its cell. */
  private def isOwnKey(i: Int, isLast: Boolean, span: CountedSpan): Boolean =
    (i == 0 || (starts(i) > span.least && starts(i) - 1 > starts(i - 1))) &&
      (i + 1 == n || starts(i + 1) - 1 > starts(i)) &&
      (starts(i) < span.greatest || (isLast && i == n - 1))

  /** Elements up to the i-th boundary's key, at most and at least, where it can have neighbours beside it. */
  private def atMost(i: Int, sought: Sought, span: CountedSpan, version: Long): Long =
    math.min(
      sought.most,
      CountedSpan.plus(
        math.min(below(i + 1), CountedSpan.plus(below(i), span.tolerance.content)),
        span.off(version)
      )
    )

  private def atLeast(i: Int, isLast: Boolean, sought: Sought, span: CountedSpan, version: Long): Long =
    if (isLast && i == n - 1) sought.fewest
    else {
      val sure = math.max(below(i), below(i + 1) - span.tolerance.content) - span.off(version)
      math.max(0L, math.min(sure, math.min(atMost(i, sought, span, version), sought.fewest)))
    }

  /** The profile of a span's version; `isLast` where the last cell is the span's last. */
  def profile(
      span: CountedSpan,
      isLast: Boolean,
      version: Long,
      count: Long,
      domain: Domain
  ): RankProfile = {
    val path = span.off(version)
    val content = span.tolerance.content
    val most = span.highest(count, version)
    val fewest = span.lowest(count, version)
    val keys, low, high = new Array[Long](n + 1)
    var o = 0
    var i = 0
    while (i < n) {
      val start = starts(i)
      val here = below(i)
      val next = if (i + 1 < n) below(i + 1) else if (isLast) count else here
      val isAlone = i + 1 < n && starts(i + 1) - 1 == start
      val follows = i > 0 && start - 1 == starts(i - 1)
      val atMost =
        math.min(
          most,
          CountedSpan.plus(if (isAlone) next else math.min(next, CountedSpan.plus(here, content)), path)
        )
      if (follows && !(isAlone && domain.holds(start))) high(o - 1) = atMost
      else {
        val sure = (if (isAlone) next else math.max(here, next - content)) - path
        val key = math.max(start, span.least)
        // elements are not below the least: of cells that begin there or before, the last counts
        if (o == 0 || keys(o - 1) < key) o += 1
        keys(o - 1) = key
        low(o - 1) = math.max(0L, math.min(sure, math.min(atMost, fewest)))
        high(o - 1) = atMost
      }
      i += 1
    }
    if (isLast) {
      while (o > 0 && keys(o - 1) >= span.greatest) o -= 1
      keys(o) = span.greatest
      low(o) = fewest
      high(o) = most
      o += 1
    }
    RankProfile.between(o, keys, low, high, fewest, most)
  }
}

private object Boundaries {
  private def error(deficit: Long, excess: Long): Long = math.max(0L, math.max(deficit, excess))
}
