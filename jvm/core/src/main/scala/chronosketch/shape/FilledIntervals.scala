package chronosketch.shape

import java.math.{BigDecimal => Exact, MathContext}

import chronosketch.rank.{Phi, RankProfile}

/** Interpolates quantiles of elements of which only the intervals are known, as if each interval were filled evenly.
  *
  * Guarantee  for one histogram, what `histogram_quantile` of Prometheus computes: the number φ·n elements are at or below. A bucket that
  *            reaches down to −∞ begins at 0, or at its upper end if that is below 0. One that reaches up to +∞ is at its lower end.
  *            The answer is within the bounds of the φ-quantile. It increases with φ, also after merges
  * Cost       O(m) to build; O(m log m) per question, m the number of keys of the profile
  * Source     Prometheus, Query functions, histogram_quantile
  */
private[shape] final class FilledIntervals(profile: RankProfile, reals: Reals) {
  private val size = profile.size

  // the element after r others lies between the first key whose upper rank bound is above r and the first whose lower one is
  private val lows, highs = new Array[Double](2 * size)
  private val counts = new Array[Long](2 * size)
  private var intervals = 0

  locally {
    var from, to = 0
    var rank = 0L
    val n = profile.countLow
    while (rank < n) {
      while (profile.rankHigh(from) <= rank) from += 1
      while (profile.rankLow(to) <= rank) to += 1
      val next = math.min(profile.rankHigh(from), profile.rankLow(to))
      add(number(profile.key(from)), number(profile.key(to)), next - rank)
      rank = next
    }
  }

  private val edges: Array[Double] =
    (lows.iterator.take(intervals) ++ highs.iterator.take(intervals)).toArray.sorted.distinct

  private def number(key: Long): Double =
    reals.exact(key).fold(if (key < 0) Double.NegativeInfinity else Double.PositiveInfinity)(_.doubleValue)

  private def add(low: Double, high: Double, count: Long): Unit = {
    val isOpenAbove = high.isInfinite && high > 0
    val isOpenBelow = low.isInfinite && low < 0
    val start = if (!isOpenBelow) low else if (high > 0) 0.0 else high
    lows(intervals) = finite(start)
    highs(intervals) = finite(if (isOpenAbove) start else high)
    counts(intervals) = count
    intervals += 1
  }

  // elements that are infinite: their bounds correct the answer
  private def finite(number: Double): Double =
    math.max(-Double.MaxValue, math.min(Double.MaxValue, number))

  /** The number of elements at or below a number, or below it. */
  private def upTo(x: Double, isBelow: Boolean): Double = {
    var whole = 0L
    var parts = 0.0
    var i = 0
    while (i < intervals) {
      val (low, high) = (lows(i), highs(i))
      if (high < x || (high == x && !(isBelow && low == high))) whole += counts(i)
      // halves, as the difference of two doubles may exceed all of them
      else if (low < x) parts += counts(i) * ((x / 2 - low / 2) / (high / 2 - low / 2))
      i += 1
    }
    whole + parts
  }

  /** The number that φ·n elements are at or below. */
  def quantile(phi: Phi): Exact = {
    // φ·n
    val sought = phi.steps(profile.countLow + 1)
    val target = sought.doubleValue
    var at = 0
    var past = edges.length - 1
    while (at < past) {
      val mid = (at + past) >>> 1
      if (upTo(edges(mid), isBelow = false) >= target) past = mid else at = mid + 1
    }
    val end = new Exact(edges(at))
    if (at == 0) end
    else {
      val before = new Exact(upTo(edges(at - 1), isBelow = false))
      val reached = new Exact(upTo(edges(at), isBelow = true))
      val start = new Exact(edges(at - 1))
      if (sought.compareTo(reached) >= 0 || reached.compareTo(before) <= 0) end
      else {
        val share = sought.subtract(before).divide(reached.subtract(before), MathContext.DECIMAL128)
        start.add(share.max(Exact.ZERO).multiply(end.subtract(start)))
      }
    }
  }
}
