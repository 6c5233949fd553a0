package chronosketch.comparison

import chronosketch.domain.Domain
import chronosketch.rank.RankProfile

/** The greatest difference of two distribution functions, the statistic of Kolmogorov and Smirnov.
  *
  * Guarantee  the exact difference lies within the bounds; all three are equal if the ranks of both summaries are certain
  * Cost       O(m₁ + m₂), m the number of keys of a profile
  * Units      shares, from 0 to 1. The p-value is that of independent values of a continuous distribution; with ties it is too large
  * Source     Smirnov 1939; Vrbik, Small-sample corrections to Kolmogorov-Smirnov test statistic, 2018
  *
  * @param distance the estimated difference, and bounds of the exact one
  * @param at       the least key at which the estimated difference is greatest; None if it is 0 everywhere
  * @param domain   the type of the key
  */
final class KolmogorovSmirnov private (
    val distance: BoundedNumber,
    val at: Option[Long],
    val domain: Domain,
    sizes: KolmogorovSmirnov.Sizes
) {

  /** The asymptotic p-value of the distance, and those of its bounds: the least one is that of the greatest distance. */
  def pValue: BoundedNumber = {
    def of(distance: Double): Seq[Double] =
      Seq(sizes.least, sizes.greatest).map(KolmogorovSmirnov.pValue(distance, _))
    BoundedNumber.of(
      KolmogorovSmirnov.pValue(distance.value, sizes.middle),
      of(distance.high).min,
      of(distance.low).max
    )
  }
}

object KolmogorovSmirnov {

  def of(pair: SketchPair): KolmogorovSmirnov = {
    val (low, high) = bounds(pair)
    val (estimate, at) = estimated(pair)
    val distance = BoundedNumber.of(estimate, low, high)
    new KolmogorovSmirnov(distance, at, pair.domain, Sizes.of(pair))
  }

  private def bounds(pair: SketchPair): (Double, Double) = {
    val ranges = new KeyRanges(new Shares(pair.left), new Shares(pair.right))
    var low, high = 0.0
    while (ranges.hasNext) {
      ranges.advance()
      low = math.max(low, ranges.leastGap)
      high = math.max(high, ranges.greatestGap)
    }
    // shares of uncertain counts have many denominators, and so their differences may be rounded the wrong way
    if (isCertain(pair)) (low, high)
    else (math.max(0.0, low - Fraction.Error), math.min(1.0, high + Fraction.Error))
  }

  private def estimated(pair: SketchPair): (Double, Option[Long]) = {
    val ranges = new KeyRanges(new Shares(pair.leftEstimates), new Shares(pair.rightEstimates))
    var greatest = 0.0
    var at = Option.empty[Long]
    while (ranges.hasNext) {
      ranges.advance()
      val gap = ranges.estimatedGap
      if (gap > greatest) {
        greatest = gap
        at = Some(ranges.start)
      }
    }
    (greatest, at)
  }

  private def isCertain(pair: SketchPair): Boolean =
    Seq(pair.left, pair.right).forall(profile => profile.countLow == profile.countHigh)

  /** The effective number of values n·m/(n + m): the least, the estimated and the greatest possible one. */
  private[comparison] final case class Sizes(least: Double, middle: Double, greatest: Double)

  private[comparison] object Sizes {
    def of(pair: SketchPair): Sizes = Sizes(
      effective(pair, _.countLow.toDouble),
      effective(pair, profile => (profile.countLow.toDouble + profile.countHigh.toDouble) / 2),
      effective(pair, _.countHigh.toDouble)
    )

    private def effective(pair: SketchPair, count: RankProfile => Double): Double = {
      val (n, m) = (count(pair.left), count(pair.right))
      if (n == 0 || m == 0) 0.0 else n * (m / (n + m))
    }
  }

  /** The probability that two samples of one distribution are at least this far apart, `size` being n·m/(n + m).
    *
    * Vrbik's correction makes the limiting distribution fit few values: with 20 it is within 0.001 of the distribution that scipy's
    * ks_2samp(method='asymp') uses, and the limit itself would be off by 0.05.
    */
  private[comparison] def pValue(distance: Double, size: Double): Double =
    if (distance == 0 || size == 0) 1.0
    else {
      val root = math.sqrt(size)
      val t = root * distance
      limitingTail(t + 1 / (6 * root) + (t - 1) / (4 * size))
    }

  /** The probability that the limiting variable of Kolmogorov is above t. */
  private[comparison] def limitingTail(t: Double): Double =
    if (t <= 0) 1.0
    else if (t < 1) {
      // each series needs few terms on its own side
      val terms = (1 to 5).map { k =>
        val odd = 2 * k - 1; StrictMath.exp(-odd * odd * Math.PI * Math.PI / (8 * t * t))
      }
      1 - math.sqrt(2 * Math.PI) / t * terms.sum
    } else {
      val terms = (1 to 6).map(k => (if (k % 2 == 1) 2 else -2) * StrictMath.exp(-2.0 * k * k * t * t))
      math.min(1.0, terms.sum)
    }
}
