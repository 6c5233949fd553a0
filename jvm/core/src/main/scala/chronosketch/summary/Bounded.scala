package chronosketch.summary

import chronosketch.rank.{Phi, RankProfile}

/** A summary that bounds the rank of each value and the value of each quantile, with probability [[confidence]]. */
trait Bounded extends Extremes {

  /** The bounds. */
  def profile: RankProfile

  /** The profile that answers are read from. They lie within the bounds. */
  def estimates: RankProfile = profile

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
