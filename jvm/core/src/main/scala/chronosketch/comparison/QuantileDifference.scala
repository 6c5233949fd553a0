package chronosketch.comparison

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.rank.Phi
import chronosketch.summary.{Bounded, Estimate}

/** The φ-quantile of one population less that of another, with a confidence interval and a p-value.
  *
  * Guarantee  contains the interval that the elements of both themselves would give. That one combines the order-statistic intervals
  *            [l, u] of both quantiles: a − b − √((a − l)² + (u' − b)²) to a − b + √((u − a)² + (b − l')²). The certificates are never
  *            lost in the root: every term is taken where the certificate makes the interval widest
  * Cost       as of 120 intervals, for the p-value
  * Units      those of the values, which must be numbers. An end is None if an interval lacks the end that it needs
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
    // refuses types that do not go together
    SketchPair.of(a, b)
    Seq(a, b).foreach { summary =>
      if (!summary.domain.isNumeric) throw Refusal("CHRONOSKETCH_NOT_NUMBERS", "type" -> summary.domain.sql)
    }
    for (
      left <- SampledQuantile.of(a, phi, designEffect);
      right <- SampledQuantile.of(b, phi, designEffect)
    ) yield {
      val sides = new Sides(left, right, a.domain, b.domain)
      val tail = (1 - confidence) / 2
      new QuantileDifference(
        number(left.value, a.domain) - number(right.value, b.domain),
        sides.low(tail),
        sides.high(tail),
        pValue(sides)
      )
    }
  }

  private def number(key: Long, domain: Domain): Double = Estimate.of(key, domain).value

  /** A p-value below this is not told from it. */
  private val LeastP = 1e-15
  private val Steps = 30

  /** Halves the range of log(p) that the p-value lies in. Intervals grow with the confidence, so there is one p where 0 enters. */
  private def pValue(sides: Sides): Double = {
    def leavesOutZero(p: Double): Boolean = sides.low(p / 2).exists(_ > 0) || sides.high(p / 2).exists(_ < 0)
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

  /** The two ends of the interval of the difference, each for the probability to miss it. */
  private final class Sides(a: SampledQuantile, b: SampledQuantile, ofA: Domain, ofB: Domain) {
    private val (leastA, greatestA) = (number(a.least, ofA), number(a.greatest, ofA))
    private val (leastB, greatestB) = (number(b.least, ofB), number(b.greatest, ofB))

    def low(tail: Double): Option[Double] =
      for (l <- a.ends(tail).low; u <- b.ends(tail).high)
        yield end(leastA - greatestB, -1, leastA - number(l, ofA), number(u, ofB) - greatestB)

    def high(tail: Double): Option[Double] =
      for (u <- a.ends(tail).high; l <- b.ends(tail).low)
        yield end(greatestA - leastB, 1, number(u, ofA) - greatestA, leastB - number(l, ofB))

    /** The difference, moved by the root of two squares. */
    private def end(difference: Double, sign: Int, reachA: Double, reachB: Double): Double = {
      val reach = StrictMath.hypot(math.max(0.0, reachA), math.max(0.0, reachB))
      if (reach == 0) difference else difference + sign * reach
    }
  }
}
