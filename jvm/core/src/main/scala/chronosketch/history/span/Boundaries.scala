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
  private var starts = new Array[Long](math.max(16, expected))
  private var below = new Array[Long](starts.length)
  private var n = 0

  /** A cell begins, and so many elements are below it. */
  def add(start: Long, elements: Long): Unit = {
    if (n == starts.length) {
      starts = Arrays.copyOf(starts, 2 * n)
      below = Arrays.copyOf(below, 2 * n)
    }
    starts(n) = start
    below(n) = elements
    n += 1
  }

  def size: Int = n

  /** How many elements are below the i-th boundary, about. */
  def elements(i: Int): Long = below(i)

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
