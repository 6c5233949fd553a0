package chronosketch.shape

import java.math.{BigDecimal => Exact}

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.Bounded

/** A key, and two between which the exact one lies. */
final case class BoundedKey(value: Long, low: Long, high: Long)

/** What a box plot shows: the ends, the quartiles, and Tukey's whiskers. */
final case class BoxPlot(
    minimum: BoundedKey,
    lowerWhisker: BoundedKey,
    q1: BoundedKey,
    median: BoundedKey,
    q3: BoundedKey,
    upperWhisker: BoundedKey,
    maximum: BoundedKey
)

/** How does a box plot of a summary's elements look?
  *
  * Guarantee  all exact values lie within their bounds. The lower whisker is the least element that is not below q1 − 1.5·(q3 − q1),
  *            the upper one the greatest that is not above q3 + 1.5·(q3 − q1); they are the ends where a quartile is NaN or infinite
  * Cost       O(log m), m the keys of the profile
  * Source     Tukey, Exploratory data analysis, 1977, §2C; bounds: interval arithmetic on those of the quartiles
  */
object BoxPlot {

  /** None where there is no element. */
  def of(summary: Bounded): Option[BoxPlot] =
    Option.unless(summary.profile.isEmpty)(new Drawing(summary).plot)

  private val Reach = new Exact("1.5")

  private final class Drawing(summary: Bounded) {
    private val profile = summary.profile
    private val estimates = summary.estimates
    private val reals = new Reals(summary.domain)

    def plot: BoxPlot = {
      val (least, greatest) = (quantile(0.0), quantile(1.0))
      val (q1, q3) = (quantile(0.25), quantile(0.75))
      // for certain there is no distance between such quartiles
      val isEndless = Seq(q1, q3).exists(q => q.low == q.high && reals.of(q.low).isEmpty)
      BoxPlot(
        least,
        if (isEndless) least else lower(least, q1, q3),
        q1,
        quantile(0.5),
        q3,
        if (isEndless) greatest else upper(q1, q3, greatest),
        greatest
      )
    }

    private def quantile(phi: Double): BoundedKey = {
      val (low, high) = profile.quantileBounds(Phi(phi))
      BoundedKey(estimates.quantile(Phi(phi)), low, high)
    }

    /** 1.5 times as far beyond `near` as `far` is on its other side. */
    private def fence(near: Long, far: Long): Option[Exact] =
      for (x <- reals.of(near); y <- reals.of(far)) yield x.add(Reach.multiply(x.subtract(y)))

    /** It lies in [the least key from the least fence on, the greatest that it can be from the greatest fence on], not above q1. */
    private def lower(least: BoundedKey, q1: BoundedKey, q3: BoundedKey): BoundedKey = {
      val isSure = isFinite(q1) && isFinite(q3)
      val value = fence(q1.value, q3.value).fold(least.value)(f => firstFrom(estimates, reals.ceiling(f)))
      val low = if (isSure) fence(q1.low, q3.high).map(reals.ceiling) else None
      val high = if (isSure) fence(q1.high, q3.low).map(reals.ceiling) else None
      val from = low.fold(least.low)(mayBeFrom)
      val until = math.min(q1.high, high.fold(q1.high)(isUpTo))
      BoundedKey(math.min(until, math.max(from, value)), from, until)
    }

    private def upper(q1: BoundedKey, q3: BoundedKey, greatest: BoundedKey): BoundedKey = {
      val isSure = isFinite(q1) && isFinite(q3)
      val value = fence(q3.value, q1.value).fold(greatest.value)(f => lastUpTo(estimates, reals.floor(f)))
      val low = if (isSure) fence(q3.low, q1.high).map(reals.floor) else None
      val high = if (isSure) fence(q3.high, q1.low).map(reals.floor) else None
      val from = math.max(q3.low, low.fold(q3.low)(isFrom))
      val until = high.fold(greatest.high)(mayBeUpTo)
      BoundedKey(math.min(until, math.max(from, value)), from, until)
    }

    private def isFinite(quartile: BoundedKey): Boolean =
      reals.of(quartile.low).nonEmpty && reals.of(quartile.high).nonEmpty

    private def firstFrom(of: RankProfile, key: Long): Long = {
      val at = before(of, key)
      of.key(math.min(at + 1, of.size - 1))
    }

    private def lastUpTo(of: RankProfile, key: Long): Long = of.key(math.max(0, of.position(key)))

    /** No element that is not below the key is below the answer. */
    private def mayBeFrom(key: Long): Long = {
      val at = before(profile, key)
      val (surely, atMost) = profile.rankBounds(at)
      // between two keys of the profile there are no more elements than its bounds are apart
      if (at >= 0 && surely < atMost) key else profile.key(math.min(at + 1, profile.size - 1))
    }

    /** No element that is not above the key is above the answer. */
    private def mayBeUpTo(key: Long): Long = {
      val at = profile.position(key)
      val (surely, atMost) = profile.rankBounds(at)
      if (at >= 0 && surely == atMost) profile.key(at) else key
    }

    /** Some element that is not below the key is not above the answer: more are up to there than can be below the key. */
    private def isUpTo(key: Long): Long = {
      val below = profile.rankHigh(before(profile, key))
      var i = math.max(0, profile.position(key))
      while (i < profile.size - 1 && profile.rankLow(i) <= below) i += 1
      profile.key(i)
    }

    /** Some element that is not above the key is not below the answer: fewer can be below there than are up to the key. */
    private def isFrom(key: Long): Long = {
      val at = profile.position(key)
      val surely = profile.rankLow(at)
      var i = math.max(0, at)
      while (i > 0 && profile.rankHigh(i - 1) >= surely) i -= 1
      profile.key(i)
    }

    /** Where the greatest key below this one stands. */
    private def before(of: RankProfile, key: Long): Int =
      if (key == Long.MinValue) -1 else of.position(key - 1)
  }
}
