package chronosketch.comparison

import java.math.{BigDecimal, BigInteger}

import chronosketch.Refusal
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.rank.Phi
import chronosketch.summary.Bounded

/** The φ-quantile of one population less that of another, with a confidence interval and a p-value.
  *
  * Guarantee  contains the interval that the elements of both themselves would give. That one combines the order-statistic intervals
  *            [l, u] of both quantiles: a − b − √((a − l)² + (u' − b)²) to a − b + √((u − a)² + (b − l')²). The certificates are never
  *            lost in the root: every term is taken where the certificate makes the interval widest
  * Cost       as of 120 intervals, for the p-value
  * Units      those of the values, which must be numbers. An end is None if an interval lacks the end that it needs. Where a quantile
  *            may be NaN, so is the end; the difference of two equal infinities is NaN, too
  * Source     Woodruff, Confidence intervals for medians and other position measures, 1952; combined as by Zou, Donner, Construction of
  *            confidence limits about effect measures, 2008, which keeps intervals of skewed values lopsided
  *
  * @param value  the estimated difference
  * @param pValue the least 1 − confidence whose interval leaves out 0, or more; at least 1e-15. It does not depend on the confidence
  *               asked for, and needs no standard error
  */
final case class QuantileDifference(value: Double, low: Option[Double], high: Option[Double], pValue: Double)

object QuantileDifference {

  /** The difference a − b; None if one of them is empty. Refuses values that are not numbers, and uncertain counts. */
  def of(
      a: Bounded,
      b: Bounded,
      phi: Phi,
      confidence: Double,
      designEffect: Double
  ): Option[QuantileDifference] = {
    val pair = SketchPair.of(a, b)
    Seq(a, b).foreach { summary =>
      if (!summary.domain.isNumeric) throw Refusal("CHRONOSKETCH_NOT_NUMBERS", "type" -> summary.domain.sql)
    }
    for (
      both <- pair;
      left <- SampledQuantile.of(a, phi, designEffect);
      right <- SampledQuantile.of(b, phi, designEffect)
    ) yield {
      val sides = new Sides(left, right, both)
      val tail = (1 - confidence) / 2
      new QuantileDifference(sides.value, sides.low(tail), sides.high(tail), pValue(sides))
    }
  }

  /** A p-value below this is not told from it. */
  private val LeastP = 1e-15
  private val Steps = 30

  /** Halves the range of log(p) that the p-value lies in. Intervals grow with the confidence, so there is one p where 0 enters. */
  private def pValue(sides: Sides): Double = {
    // an interval contains the difference, so it leaves out 0 on one side only; a difference of NaN has no side
    val value = sides.value
    def leavesOutZero(p: Double): Boolean =
      !(value <= 0) && sides.low(p / 2).exists(_ > 0) || !(value >= 0) && sides.high(p / 2).exists(_ < 0)
    if (!leavesOutZero(1.0)) 1.0
    else if (leavesOutZero(LeastP)) LeastP
    else {
      var within = StrictMath.log(LeastP)
      var without = 0.0
      (1 to Steps).foreach { _ =>
        val mid = (within + without) / 2
        if (leavesOutZero(StrictMath.exp(mid))) without = mid else within = mid
      }
      StrictMath.exp(without)
    }
  }

  /** The difference, and the two ends of its interval, each for the probability to miss it. */
  private final class Sides(a: SampledQuantile, b: SampledQuantile, pair: SketchPair) {
    private val (leastA, greatestA) = (pair.leftKey(a.least), pair.leftKey(a.greatest))
    private val (leastB, greatestB) = (pair.rightKey(b.least), pair.rightKey(b.greatest))

    def value: Double = minus(pair.leftKey(a.value), pair.rightKey(b.value))

    def low(tail: Double): Option[Double] =
      for (l <- a.low(tail); u <- b.high(tail))
        yield end(-1, leastA, pair.leftKey(l), greatestB, pair.rightKey(u))

    def high(tail: Double): Option[Double] =
      for (u <- a.high(tail); l <- b.low(tail))
        yield end(1, greatestA, pair.leftKey(u), leastB, pair.rightKey(l))

    /** The difference of a key of a and one of b, moved by the root of the squares of the distances to their ends. */
    private def end(sign: Int, ofA: Long, endA: Long, ofB: Long, endB: Long): Double = {
      def moved(scale: Double): Double = {
        val reach = StrictMath.hypot(
          math.max(0.0, sign * minus(endA, ofA, scale)),
          math.max(0.0, sign * minus(ofB, endB, scale))
        )
        minus(ofA, ofB, scale) + sign * reach
      }
      val whole = moved(1.0)
      if (isFinite(whole)) whole
      // of finite numbers only what is computed on the way may be too large
      else if (Seq(ofA, endA, ofB, endB).forall(key => isFinite(DoubleKeys.value(key)))) 4 * moved(0.25)
      else {
        // the difference of the ends is at least as far out, and defined for more infinite values
        val outer = minus(endA, endB)
        if (outer.isNaN && endA != DoubleKeys.NaN && endB != DoubleKeys.NaN) sign * Double.PositiveInfinity
        else outer
      }
    }

    private def isFinite(x: Double): Boolean = !x.isInfinite && !x.isNaN

    private def minus(key: Long, that: Long, scale: Double = 1.0): Double =
      QuantileDifference.minus(key, that, pair.domain, scale)
  }

  /** The difference of the numbers of two keys, rounded once: large whole numbers may differ by less than doubles tell apart. Only
    * differences of floating-point numbers may be too large, so only those are scaled.
    */
  private def minus(key: Long, that: Long, domain: Domain, scale: Double): Double =
    if (domain.isFloating) DoubleKeys.value(key) * scale - DoubleKeys.value(that) * scale
    else {
      val difference = key - that
      val isLarge = ((key ^ that) & (key ^ difference)) < 0 || math.abs(difference) > WholeDoubles
      if (!isLarge) difference / math.pow(10, domain.scale)
      else
        new BigDecimal(BigInteger.valueOf(key).subtract(BigInteger.valueOf(that)), domain.scale).doubleValue
    }

  /** Up to here all whole numbers are doubles. */
  private val WholeDoubles = 1L << 53
}
