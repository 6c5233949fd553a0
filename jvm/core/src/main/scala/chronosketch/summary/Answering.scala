package chronosketch.summary

import java.math.BigDecimal

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.rank.{Phi, RankProfile}

/** A summary that knows its least and its greatest key; both are None if it is empty. */
trait Extremes extends Summary {
  def minimum: Option[Long]
  def maximum: Option[Long]
}

/** A summary that bounds the rank of each value and the value of each quantile, with probability [[confidence]]. */
trait Bounded extends Extremes {

  /** The bounds. */
  def profile: RankProfile

  /** The profile that answers are read from. They lie within the bounds. */
  def estimates: RankProfile = profile

  /** The profile that the rank of a value that is looked up is read from. It lies within the bounds. */
  def rankEstimates: RankProfile = estimates

  /** Whether only the intervals of the elements are known. Interpolation then assumes that elements fill each interval evenly. */
  def fillsIntervals: Boolean = false

  /** The probability that all bounds hold; 1 if they always do. */
  def confidence: Double = 1.0

  def minimum: Option[Long] = extreme(_.minimum)
  def maximum: Option[Long] = extreme(_.maximum)

  private def extreme(read: RankProfile => Long): Option[Long] = {
    val current = profile
    if (current.isEmpty) None else Some(read(current))
  }

  /** The function that answers quantiles from the estimates; None if the summary is empty. */
  def quantiles: Option[Phi => Long] = {
    val current = estimates
    if (current.isEmpty) None else Some(current.quantile(_))
  }

  override def description: Description =
    super.description.copy(exact = Some(profile.isExact), confidence = Some(confidence))
}

/** A summary that bounds the rank error of its answers. */
trait Ranked extends Bounded {

  /** The largest rank error that the summary allows, as a share of its elements. */
  def epsilon: Double

  /** The φ-quantile. The summary must not be empty. */
  def quantile(phi: Phi): Long = estimates.quantile(phi)

  /** The certified rank error of the quantiles, as a share of the elements. The summary must not be empty. */
  def rankError: Double = profile.rankError

  override def description: Description =
    super.description.copy(error = if (profile.isEmpty) None else Some(rankError))
}

/** A summary that estimates quantiles by values that need not have been inserted. */
trait Estimates extends Summary {

  /** The φ-quantile; None if there are no elements. Refuses a φ that the summary does not answer. */
  def estimate(phi: Phi): Option[Estimate]
}

/** An estimated value, which the type need not be able to represent: the nearest key of the type, and the value in the type's
  * units.
  */
final case class Estimate(key: Long, value: Double)

object Estimate {

  /** The estimate that is the value of a key; `value` is the nearest double. */
  def of(key: Long, domain: Domain): Estimate =
    Estimate(
      key,
      if (domain.isFloating) DoubleKeys.value(key)
      else BigDecimal.valueOf(key, domain.scale).doubleValue
    )
}

/** A summary that answers count, sum, mean, variance and standard deviation of its values. */
trait Moments extends Summary {

  /** The result of Spark's function of the same name, or nearly so; None if that returns NULL. */
  def moment(which: Moment): Option[Double]

  /** [[moment]] with certain bounds on the exact result. */
  def momentBounds(which: Moment): Option[MomentBounds]
}

/** A statistic of a set of values. */
sealed abstract class Moment(val name: String) extends Serializable

object Moment {
  case object Count extends Moment("count")
  case object Sum extends Moment("sum")
  case object Mean extends Moment("mean")
  case object Variance extends Moment("variance")
  case object VariancePop extends Moment("variance_pop")
  case object Stddev extends Moment("stddev")
  case object StddevPop extends Moment("stddev_pop")

  val all: Seq[Moment] = Seq(Count, Sum, Mean, Variance, VariancePop, Stddev, StddevPop)

  def named(name: String): Option[Moment] = all.find(_.name == name)
}

/** A statistic with certain bounds: lower ≤ exact ≤ upper and lower ≤ value ≤ upper. If the exact result is NaN or an infinity, all
  * three are. If it may be NaN or infinite, the value is NaN, and so is the upper bound: NaN is above all others in Spark's order.
  */
final case class MomentBounds(value: Double, lower: Double, upper: Double) {

  /** The largest relative error of the value; +∞ if the exact result may be 0 but is not known to be. */
  def error: Double =
    if (java.lang.Double.compare(lower, upper) == 0) 0.0
    else if (!(lower > 0 || upper < 0) || upper.isNaN) Double.PositiveInfinity
    else math.max((value - lower) / math.abs(lower), (upper - value) / math.abs(upper))
}

object MomentBounds {

  /** Doubles represent all integers up to this one. */
  private val ExactIntegers = 1L << 53

  /** The bounds of an exact count. */
  def ofCount(n: Long): MomentBounds = {
    val nearest = n.toDouble
    if (n <= ExactIntegers) exactly(nearest)
    else MomentBounds(nearest, Math.nextDown(nearest), Math.nextUp(nearest))
  }

  def exactly(value: Double): MomentBounds = MomentBounds(value, value, value)
}
