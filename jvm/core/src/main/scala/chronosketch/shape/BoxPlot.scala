package chronosketch.shape

import java.math.{BigDecimal => Exact}

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.Bounded

/** An estimated key with bounds on the exact one. */
final case class BoundedKey(value: Long, low: Long, high: Long)

/** The numbers of a box plot: the extremes, the quartiles, and Tukey's whiskers. */
final case class BoxPlot(
    minimum: BoundedKey,
    lowerWhisker: BoundedKey,
    q1: BoundedKey,
    median: BoundedKey,
    q3: BoundedKey,
    upperWhisker: BoundedKey,
    maximum: BoundedKey
)

/** Computes the box plot of a summary's elements.
  *
  * Guarantee  all exact values lie within their bounds. The lower whisker is the least element that is not below q1 − 1.5·(q3 − q1),
  *            the upper one the greatest that is not above q3 + 1.5·(q3 − q1). If a quartile is NaN or infinite, the whiskers are
  *            the minimum and the maximum
  * Cost       O(log m), m the number of keys of the profile
  * Source     Tukey, Exploratory data analysis, 1977, §2C; bounds: interval arithmetic on those of the quartiles
  */
object BoxPlot {

  /** The box plot of a summary; None if it is empty. */
  def of(summary: Bounded): Option[BoxPlot] =
    Option.unless(summary.profile.isEmpty)(new Calculation(summary).plot)

  private val Reach = new Exact("1.5")

  private final class Calculation(summary: Bounded) {
    private val profile = summary.profile
    private val estimates = summary.estimates
    private val reals = new Reals(summary.domain)

    def plot: BoxPlot = {
      val (least, greatest) = (quantile(0.0), quantile(1.0))
      val (q1, q3) = (quantile(0.25), quantile(0.75))
      // a quartile that certainly is NaN or infinite has no distance from the other
      val isInfinite = Seq(q1, q3).exists(q => q.low == q.high && reals.exact(q.low).isEmpty)
      BoxPlot(
        least,
        if (isInfinite) least else lowerWhisker(least, q1, q3),
        q1,
        quantile(0.5),
        q3,
        if (isInfinite) greatest else upperWhisker(q1, q3, greatest),
        greatest
      )
    }

    private def quantile(phi: Double): BoundedKey = {
      val (low, high) = profile.quantileBounds(Phi(phi))
      BoundedKey(estimates.quantile(Phi(phi)), low, high)
    }

    /** The number beyond `near`, seen from `far`, at 1.5 times their distance. */
    private def fence(near: Long, far: Long): Option[Exact] =
      for (x <- reals.exact(near); y <- reals.exact(far)) yield x.add(Reach.multiply(x.subtract(y)))

    /** The least element from the lower fence on. The bounds follow from the least and the greatest possible fence; the whisker is not
      * above q1.
      */
    private def lowerWhisker(least: BoundedKey, q1: BoundedKey, q3: BoundedKey): BoundedKey = {
      val hasFence = isFinite(q1) && isFinite(q3)
      val value = fence(q1.value, q3.value).fold(least.value)(f => leastFrom(estimates, reals.ceiling(f)))
      val lowFence = if (hasFence) fence(q1.low, q3.high).map(reals.ceiling) else None
      val highFence = if (hasFence) fence(q1.high, q3.low).map(reals.ceiling) else None
      val low = lowFence.fold(least.low)(lowerBoundOfLeastFrom)
      val high = math.min(q1.high, highFence.fold(q1.high)(upperBoundOfLeastFrom))
      BoundedKey(math.min(high, math.max(low, value)), low, high)
    }

    /** The greatest element up to the upper fence, which is not below q3. */
    private def upperWhisker(q1: BoundedKey, q3: BoundedKey, greatest: BoundedKey): BoundedKey = {
      val hasFence = isFinite(q1) && isFinite(q3)
      val value = fence(q3.value, q1.value).fold(greatest.value)(f => greatestUpTo(estimates, reals.floor(f)))
      val lowFence = if (hasFence) fence(q3.low, q1.high).map(reals.floor) else None
      val highFence = if (hasFence) fence(q3.high, q1.low).map(reals.floor) else None
      val low = math.max(q3.low, lowFence.fold(q3.low)(lowerBoundOfGreatestUpTo))
      val high = highFence.fold(greatest.high)(upperBoundOfGreatestUpTo)
      BoundedKey(math.min(high, math.max(low, value)), low, high)
    }

    private def isFinite(quartile: BoundedKey): Boolean =
      reals.exact(quartile.low).nonEmpty && reals.exact(quartile.high).nonEmpty

    /** The least key of the profile that is not below `key`. */
    private def leastFrom(ranks: RankProfile, key: Long): Long = {
      val at = positionBelow(ranks, key)
      ranks.key(math.min(at + 1, ranks.size - 1))
    }

    /** The greatest key of the profile that is not above `key`. */
    private def greatestUpTo(ranks: RankProfile, key: Long): Long =
      ranks.key(math.max(0, ranks.position(key)))

    /** A lower bound of the least element that is not below `key`. */
    private def lowerBoundOfLeastFrom(key: Long): Long = {
      val at = positionBelow(profile, key)
      val (atLeast, atMost) = profile.rankBounds(at)
      // the difference of the bounds is the most elements that there can be between two keys of the profile
      if (at >= 0 && atLeast < atMost) key else profile.key(math.min(at + 1, profile.size - 1))
    }

    /** An upper bound of the greatest element that is not above `key`. */
    private def upperBoundOfGreatestUpTo(key: Long): Long = {
      val at = profile.position(key)
      val (atLeast, atMost) = profile.rankBounds(at)
      if (at >= 0 && atLeast == atMost) profile.key(at) else key
    }

    /** An upper bound of the least element that is not below `key`: more elements are up to this bound than can be below `key`. */
    private def upperBoundOfLeastFrom(key: Long): Long = {
      val below = profile.rankHigh(positionBelow(profile, key))
      var i = math.max(0, profile.position(key))
      while (i < profile.size - 1 && profile.rankLow(i) <= below) i += 1
      profile.key(i)
    }

    /** A lower bound of the greatest element that is not above `key`: fewer elements can be below this bound than are up to `key`. */
    private def lowerBoundOfGreatestUpTo(key: Long): Long = {
      val at = profile.position(key)
      val atLeast = profile.rankLow(at)
      var i = math.max(0, at)
      while (i > 0 && profile.rankHigh(i - 1) >= atLeast) i -= 1
      profile.key(i)
    }

    /** The index of the greatest key of the profile that is below `key`. */
    private def positionBelow(ranks: RankProfile, key: Long): Int =
      if (key == Long.MinValue) -1 else ranks.position(key - 1)
  }
}
