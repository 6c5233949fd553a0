package chronosketch.comparison

import chronosketch.Refusal
import chronosketch.domain.{Domain, DoubleKeys}

/** The mean distance between the quantiles of two summaries: ∫|F − G| dx, also called the earth mover's distance.
  *
  * Guarantee  the exact distance lies within the bounds, which are rounded outward. It is infinite if the shares of an infinity
  *            differ, and NaN if one of the values may be NaN, which has no distance from a number
  * Cost       O(m₁ + m₂), m the number of keys of a profile
  * Units      those of the values, which must be numbers: the distance of two dates, times or intervals is not a DOUBLE
  * Source     Vallender, Calculation of the Wasserstein distance between probability distributions on the line, 1974
  */
object Wasserstein {

  def of(pair: SketchPair): BoundedNumber = {
    if (!pair.domain.isNumeric) throw Refusal("CHRONOSKETCH_NOT_NUMBERS", "type" -> pair.domain.sql)
    if (pair.mayHaveNaN) BoundedNumber(Double.NaN, Double.NaN, Double.NaN)
    else {
      val bounds = new KeyRanges(new Shares(pair.left), new Shares(pair.right))
      var low, high = 0.0
      forEachRange(bounds, pair.domain) { length =>
        // more than the errors of a gap, a length and their product
        val (least, greatest) = (area(bounds.leastGap, length), area(bounds.greatestGap, length))
        if (least > 0) low = math.max(low, down(low + down(least * (1 - Slack))))
        if (greatest > 0) high = Math.nextUp(high + Math.nextUp(greatest * (1 + Slack)))
      }
      val estimates = new KeyRanges(new Shares(pair.leftEstimates), new Shares(pair.rightEstimates))
      var value = 0.0
      forEachRange(estimates, pair.domain)(length => value += area(estimates.estimatedGap, length))
      val unit = math.pow(10, pair.domain.scale)
      BoundedNumber.of(
        value / unit,
        math.max(0.0, down(low / unit)),
        if (high == 0) 0.0 else Math.nextUp(high / unit)
      )
    }
  }

  private val Slack = 2e-15

  /** Visits the ranges between two keys, with their lengths in units of the keys. */
  private def forEachRange(ranges: KeyRanges, domain: Domain)(visit: Double => Unit): Unit =
    if (ranges.hasNext) {
      ranges.advance()
      while (ranges.hasNext) {
        visit(length(ranges.start, ranges.end, domain))
        ranges.advance()
      }
    }

  private def length(from: Long, to: Long, domain: Domain): Double =
    if (domain.isFloating) {
      val (a, b) = (DoubleKeys.value(from), DoubleKeys.value(to))
      val whole = b - a
      // the distance of two finite numbers may exceed all doubles, and a small share of it need not
      if (whole.isInfinite && !a.isInfinite && !b.isInfinite) -(b / 2 - a / 2) else whole
    } else {
      val difference = to - from
      // as a signed number, a distance of 2⁶³ or more is negative. The last bit stays, so that the half is rounded as the whole
      if (difference >= 0) difference.toDouble else (difference >>> 1 | difference & 1).toDouble * 2
    }

  private def down(x: Double): Double = if (x.isInfinite) x else Math.nextDown(x)

  /** Gap times length. A negative length is minus the half of it. No gap has no area, however long it is. */
  private def area(gap: Double, length: Double): Double =
    if (gap <= 0) 0.0 else if (length < 0) (gap * -length) * 2 else gap * length
}
