package chronosketch.window.moments

import chronosketch.domain.Domain
import chronosketch.summary.{Moment, MomentBounds}
import chronosketch.window.moments.DirectedRounding._

/** Computes the moments of a window with certain bounds.
  *
  * Guarantee  the exact moment lies between the bounds, whichever doubtful elements are in the window. If the bounds have the
  *            same sign, the answer has the smallest worst-case relative error
  * Cost       some divisions
  * Units      values of `domain`
  * Source     docs/algorithms.md, Moments of windows: the sum of squared distances from the mean is the least over all reference
  *            points, so it never falls when elements are added
  *
  * @param inside   sums of the elements that are certainly in the window
  * @param doubtful sums of elements of which `least` to `most` are in the window
  */
private[moments] final class MomentEstimates(
    inside: Sums,
    doubtful: Sums,
    least: Long,
    most: Long,
    domain: Domain
) {
  private val fewest = inside.count + least
  private val greatest = inside.count + most
  private val isCertain = doubtful.count == 0

  // ten to the power of the decimal's scale, which a double represents exactly
  private val unit = java.math.BigDecimal.TEN.pow(domain.second).doubleValue

  /** The middle of the bounds for the count. */
  def count: Long = fewest + (most - least) / 2

  def of(moment: Moment): Option[MomentBounds] =
    if (greatest == 0) Option.when(moment == Moment.Count)(MomentBounds.exactly(0.0))
    else
      moment match {
        case Moment.Count => Some(MomentBounds(count.toDouble, wholeDown(fewest), wholeUp(greatest)))
        case Moment.Sum => Some(finite(Sums.sumOf, Double.NegativeInfinity)(sum))
        case Moment.Mean => Some(finite(Sums.sumOf, Double.NegativeInfinity)(mean))
        case Moment.VariancePop => Some(spread(variance(0L)))
        case Moment.StddevPop => Some(spread(root(variance(0L))))
        case Moment.Variance | Moment.Stddev if greatest == 1 => None
        case Moment.Variance => Some(spread(variance(1L)))
        case Moment.Stddev => Some(spread(root(variance(1L))))
      }

  private def spread(bounds: => MomentBounds): MomentBounds = finite(_ => Double.NaN, 0.0)(bounds)

  /** If an element in the window is NaN or infinite, the answer is what adding the elements gives. If one may be in the window,
    * there is no answer.
    */
  private def finite(special: Int => Double, lowest: Double)(bounds: => MomentBounds): MomentBounds = {
    val known = inside.specials
    val possible = if (most > 0) known | doubtful.specials else known
    if (possible == 0) bounds
    else if (known != 0 && java.lang.Double.compare(special(known), special(possible)) == 0)
      MomentBounds.exactly(special(known))
    else MomentBounds(Double.NaN, lowest, Double.NaN)
  }

  // bounds of the sum, in units of keys
  private def sumLow: Double = addDown(inside.sumLow, -doubtful.negativeHigh)
  private def sumHigh: Double = addUp(inside.sumHigh, doubtful.positiveHigh)
  private def isOfOneSign: Boolean =
    (inside.positiveHigh == 0 && doubtful.positiveHigh == 0) ||
      (inside.negativeHigh == 0 && doubtful.negativeHigh == 0)

  private def sum: MomentBounds = between(sumLow, sumHigh, unit, isOfOneSign)

  private def mean: MomentBounds = {
    val (few, many) = (wholeDown(math.max(1L, fewest)), wholeUp(greatest))
    val (low, high) = (sumLow, sumHigh)
    var from = divDown(low, if (low >= 0) many else few)
    var to = divUp(high, if (high >= 0) few else many)
    if (inside.count > 0) {
      // m of the doubtful elements move the mean by at most √(m·Σ(x − mean)²)/(elements)
      val n = inside.count
      val around = doubtful.copy
      around.moveAnchorTo(inside.anchor)
      val center = inside.copy
      val middleLow = divOver(center.distanceLow, n, isUp = false)
      val middleHigh = divOver(center.distanceHigh, n, isUp = true)
      val moved =
        if (isCertain) 0.0
        else {
          val off = Math.max(Math.abs(middleLow), Math.abs(middleHigh))
          // √Σ(x − mean)² ≤ √Σ(x − anchor)² + √n·|mean − anchor|
          val root = addUp(rootUp(around.squareHigh), mulUp(rootUp(wholeUp(doubtful.count)), off))
          divUp(mulUp(rootUp(wholeUp(most)), root), wholeDown(n))
        }
      from = Math.max(from, addDown(addDown(inside.anchor, middleLow), -moved))
      to = Math.min(to, addUp(addUp(inside.anchor, middleHigh), moved))
    }
    if (isCertain) {
      val sum = middle(inside.sumLow, inside.sumHigh)
      val value = sum / (wholeDown(greatest) * unit)
      scaled(from, to, unit, if (inside.sumLow == inside.sumHigh) value else middle(from, to) / unit)
    } else between(from, to, unit, isOfOneSign)
  }

  private def divOver(a: Double, n: Long, isUp: Boolean): Double =
    if (isUp) divUp(a, if (a >= 0) wholeDown(n) else wholeUp(n))
    else divDown(a, if (a >= 0) wholeUp(n) else wholeDown(n))

  /** The variance with the divisor n − `less`. */
  private def variance(less: Long): MomentBounds = {
    val all = inside.copy
    if (!isCertain) all.add(doubtful)
    val (low, high) = (inside.spreadLow, all.spreadHigh)
    val few = wholeDown(math.max(1L, fewest - less))
    val many = wholeUp(math.max(1L, greatest - less))
    val (from, to) = (divDown(low, many), divUp(high, few))
    if (isCertain) {
      val value = middle(low, high) / few / unit / unit
      scaledTwice(from, to, value)
    } else {
      val value = harmonic(from, to)
      scaledTwice(from, to, value / unit / unit)
    }
  }

  private def root(bounds: MomentBounds): MomentBounds = {
    val (low, high) = (rootDown(bounds.lower), rootUp(bounds.upper))
    within(low, high, if (isCertain) Math.sqrt(bounds.value) else harmonic(low, high))
  }

  private def between(low: Double, high: Double, by: Double, isHarmonic: Boolean): MomentBounds =
    scaled(low, high, by, (if (isHarmonic) harmonic(low, high) else middle(low, high)) / by)

  private def scaled(low: Double, high: Double, by: Double, value: Double): MomentBounds =
    within(divDown(low, by), divUp(high, by), value)

  private def scaledTwice(low: Double, high: Double, value: Double): MomentBounds = within(
    Math.max(0.0, divDown(Math.max(0.0, divDown(low, unit)), unit)),
    divUp(divUp(high, unit), unit),
    value
  )

  /** If sums overflow, a bound is infinite. There is an answer unless both are. */
  private def within(low: Double, high: Double, value: Double): MomentBounds =
    if (low == Double.NegativeInfinity && high == Double.PositiveInfinity)
      MomentBounds(Double.NaN, low, Double.NaN)
    else if (high == Double.PositiveInfinity) MomentBounds(high, low, high)
    else if (low == Double.NegativeInfinity) MomentBounds(low, low, high)
    else MomentBounds(Math.max(low, Math.min(high, value)), low, high)

  private def middle(low: Double, high: Double): Double = if (low == high) low else low / 2 + high / 2

  /** For bounds with the same sign, the value with the smallest worst-case relative error. */
  private def harmonic(low: Double, high: Double): Double =
    if (low == high) low
    else if (low <= 0 && high >= 0) low / 2 + high / 2
    else low / (low / 2 + high / 2) * high
}
