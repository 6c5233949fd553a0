package chronosketch.shape

import java.math.{BigDecimal => Exact, RoundingMode}

import chronosketch.domain.{Conversion, Domain, DoubleKeys}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.Bounded

/** Interpolates quantiles: the number that lies φ·(n − 1) steps from the least of n elements, or from the greatest, on the
  * straight line between neighbours.
  *
  * Guarantee  as SQL's PERCENTILE_CONT: with h = φ·(n − 1), i = ⌊h⌋ and x₀ ≤ x₁ ≤ … it is xᵢ + (h − i)·(xᵢ₊₁ − xᵢ), computed exactly
  *            and rounded once. The bounds interpolate between those of the two neighbours and are rounded outward. NaN is greater
  *            than all numbers. If only intervals of the elements are known, the value is that of [[FilledIntervals]], and the bounds
  *            enclose the φ-quantile that is one of the elements, too
  * Cost       O(log m), m the number of keys of the profile
  * Units      keys of the requested number type. An uncertain count is refused, since it decides which elements are the neighbours
  * Source     Hyndman, Fan, Sample quantiles in statistical packages, 1996, definition 7
  */
final class LinearQuantile private (
    profile: RankProfile,
    estimates: RankProfile,
    from: Domain,
    to: Domain,
    fillsIntervals: Boolean
) {
  import LinearQuantile.{NegativeInfinity, NaN, Place, PositiveInfinity}

  private val reals = new Reals(from)
  private lazy val filled = new FilledIntervals(profile, reals)

  /** The best estimate. */
  def value(phi: Phi): Long = if (fillsIntervals) inInterval(phi) else onLine(phi)

  private def inInterval(phi: Phi): Long = {
    val exact = filled.quantile(phi)
    val value = Conversion.round(exact, to, Conversion.Nearest).getOrElse(refuse(exact.toPlainString))
    // sums of shares of counts are rounded
    val (low, high) = nearestBounds(phi)
    math.max(low, math.min(high, value))
  }

  private def nearestBounds(phi: Phi): (Long, Long) = {
    val (low, high) = profile.quantileBounds(phi)
    (convert(low, Conversion.Down), convert(high, Conversion.Up))
  }

  private def onLine(phi: Phi): Long = {
    val place = placeOf(phi)
    val left = estimates.keyOfRank(place.rank)
    if (place.isElement) convert(left, Conversion.Nearest)
    else {
      val right = estimates.keyOfRank(place.rank + 1)
      if (isNaN(left, right)) special(Double.NaN) else between(left, right, place, Conversion.Nearest)
    }
  }

  /** Bounds on the exact quantile. */
  def bounds(phi: Phi): (Long, Long) = {
    val (low, high) = boundsOnLine(phi)
    if (fillsIntervals) {
      val (least, greatest) = nearestBounds(phi)
      (math.min(low, least), math.max(high, greatest))
    } else (low, high)
  }

  private def boundsOnLine(phi: Phi): (Long, Long) = {
    val place = placeOf(phi)
    val (left0, left1) = profile.keyBoundsOfRank(place.rank)
    if (place.isElement) (convert(left0, Conversion.Down), convert(left1, Conversion.Up))
    else {
      val (right0, right1) = profile.keyBoundsOfRank(place.rank + 1)
      if (isNaN(left1, right0)) (special(Double.NaN), special(Double.NaN))
      else {
        (
          between(left0, right0, place, Conversion.Down),
          if (isNaN(left0, right1)) special(widest) else between(left1, right1, place, Conversion.Up)
        )
      }
    }
  }

  /** The greatest value that may lie between −∞ and +∞: in an interval without ends any number, and between the values −∞ and +∞ only NaN. */
  private def widest: Double = if (fillsIntervals) Double.PositiveInfinity else Double.NaN

  private def placeOf(phi: Phi): Place = {
    val steps = phi.steps(profile.countLow)
    val whole = steps.setScale(0, RoundingMode.FLOOR)
    Place(whole.longValueExact + 1, steps.subtract(whole))
  }

  /** Whether the interpolation between two neighbours is NaN: between −∞ and +∞, and if the right one is NaN. */
  private def isNaN(left: Long, right: Long): Boolean = from.isFloating &&
    (right == NaN || (left == NegativeInfinity && right == PositiveInfinity))

  private def between(left: Long, right: Long, place: Place, rounding: Conversion.Rounding): Long =
    if (left == right) convert(left, rounding)
    else
      (reals.exact(left), reals.exact(right)) match {
        case (Some(a), Some(b)) =>
          val exact = a.add(place.beyond.multiply(b.subtract(a)))
          Conversion.round(exact, to, rounding).getOrElse(refuse(exact.toPlainString))
        case (None, _) => convert(left, rounding)
        case _ => convert(right, rounding)
      }

  private def convert(key: Long, rounding: Conversion.Rounding): Long =
    Conversion.convert(key, from, to, rounding)

  private def special(value: Double): Long =
    if (to.isFloating) DoubleKeys.key(value) else refuse(value.toString)

  private def refuse(value: String): Nothing = throw Conversion.outOfRange(value, to)
}

object LinearQuantile {
  private val NaN = DoubleKeys.NaN
  private val PositiveInfinity = DoubleKeys.PositiveInfinity
  private val NegativeInfinity = DoubleKeys.NegativeInfinity

  /** A position among the elements: the rank of an element, and the fraction of the way from it to the next one. */
  private final case class Place(rank: Long, beyond: Exact) {
    def isElement: Boolean = beyond.signum == 0
  }

  /** The quantiles of a summary's elements, as numbers of the type `to`; None if the summary is empty. */
  def of(summary: Bounded, to: Domain): Option[LinearQuantile] = {
    val profile = CertainCount.require(summary)
    Option.unless(profile.isEmpty) {
      val hasNaN = summary.domain.isFloating && profile.maximum == NaN
      new LinearQuantile(profile, summary.estimates, summary.domain, to, summary.fillsIntervals && !hasNaN)
    }
  }
}
