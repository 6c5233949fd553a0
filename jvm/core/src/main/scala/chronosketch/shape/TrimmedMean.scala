package chronosketch.shape

import java.math.{BigDecimal => Exact, MathContext, RoundingMode}

import chronosketch.domain.{Conversion, Domain, DoubleKeys}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Bounded, MomentBounds}

/** Computes the mean of the elements between two quantiles.
  *
  * Guarantee  the exact mean of the elements with the ranks ⌊lower·n⌋ + 1 … ⌈upper·n⌉ lies within the bounds: sums are exact,
  *            bounds are rounded outward, and NaN is greater than all numbers
  * Cost       O(m), m the number of keys of the profile
  * Units      ranks start at 1. An uncertain count is refused, since it decides which ranks are meant
  * Source     the element of rank r is not below the first key with A⁺ ≥ r, and not above the first with A⁻ ≥ r
  *            (docs/algorithms.md, Shape)
  */
object TrimmedMean {

  /** The trimmed mean of a summary's elements; None if the summary is empty. `lower` must be less than `upper`. */
  def of(summary: Bounded, lower: Phi, upper: Phi): Option[MomentBounds] = {
    val profile = CertainCount.require(summary)
    Option.unless(profile.isEmpty) {
      val n = profile.countLow
      val left = lower.decimal.multiply(Exact.valueOf(n)).setScale(0, RoundingMode.FLOOR).longValueExact
      val ranks = Ranks(left, upper.rank(n))
      val least = sum(profile, profile.rankHigh, ranks, summary.domain)
      val most = sum(profile, profile.rankLow, ranks, summary.domain)
      between(least, most, ranks.until - ranks.after)
    }
  }

  /** The ranks above `after`, up to and including `until`. */
  private final case class Ranks(after: Long, until: Long)

  /** A sum of numbers: the sum of the finite ones, and whether −∞ (`below`), +∞ (`above`) or NaN are among them. */
  private final case class Sum(finite: Exact, below: Boolean, above: Boolean, nan: Boolean) {
    def isFinite: Boolean = !below && !above && !nan
  }

  /** The sum over the ranks, each taken at the first key i with `upTo(i)` not less than the rank. */
  private def sum(profile: RankProfile, upTo: Int => Long, ranks: Ranks, domain: Domain): Sum = {
    val reals = new Reals(domain)
    var finite = Exact.ZERO
    var below, above, nan = false
    var reached = ranks.after
    var i = 0
    while (reached < ranks.until) {
      val until = math.min(ranks.until, upTo(i))
      if (until > reached) {
        reals.exact(profile.key(i)) match {
          case Some(value) => finite = finite.add(value.multiply(Exact.valueOf(until - reached)))
          case None =>
            val value = DoubleKeys.value(profile.key(i))
            if (value < 0) below = true else if (value > 0) above = true else nan = true
        }
        reached = until
      }
      i += 1
    }
    Sum(finite, below, above, nan)
  }

  private def between(least: Sum, most: Sum, n: Long): MomentBounds = {
    def mean(sum: Exact, parts: Long, rounding: Conversion.Rounding): Double = {
      val quotient = sum.divide(Exact.valueOf(parts), Digits(rounding))
      DoubleKeys.value(Conversion.round(quotient, Domain.Double, rounding).get)
    }
    // the mean is NaN if there certainly are both infinities, and may be NaN if there may be both
    val isNan = least.nan || (least.above && most.below)
    val mayBeNan = most.nan || (least.below && most.above)
    val low =
      if (isNan) Double.NaN
      else if (least.below) Double.NegativeInfinity
      else if (least.above) Double.PositiveInfinity
      else mean(least.finite, n, Conversion.Down)
    val high =
      if (isNan || mayBeNan) Double.NaN
      else if (most.above) Double.PositiveInfinity
      else if (most.below) Double.NegativeInfinity
      else mean(most.finite, n, Conversion.Up)
    val value =
      if (least.isFinite && most.isFinite)
        mean(least.finite.add(most.finite), 2 * n, Conversion.Nearest)
      else if (least.isFinite) low
      else high
    MomentBounds(value, low, high)
  }

  /** As many digits as a double can have, rounded outward. */
  private def Digits(rounding: Conversion.Rounding): MathContext = new MathContext(
    800,
    rounding match {
      case Conversion.Down => RoundingMode.FLOOR
      case Conversion.Up => RoundingMode.CEILING
      case Conversion.Nearest => RoundingMode.HALF_EVEN
    }
  )
}
