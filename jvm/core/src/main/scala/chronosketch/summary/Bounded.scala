package chronosketch.summary

import chronosketch.rank.{Phi, RankProfile}

/** A summary that knows between which ranks a value is, and between which values a quantile: for certain, or nearly so. */
trait Bounded extends Extremes {

  /** Its bounds. */
  def profile: RankProfile

  /** What its answers are taken from, which lie in the bounds. */
  def estimates: RankProfile = profile

  /** The probability that all of its bounds hold; 1: for certain. */
  def confidence: Double = 1.0

  def minimum: Option[Long] = end(_.minimum)
  def maximum: Option[Long] = end(_.maximum)

  private def end(of: RankProfile => Long): Option[Long] = {
    val all = profile
    if (all.isEmpty) None else Some(of(all))
  }

  /** How it answers quantiles: as its estimates do; none where it has seen nothing. */
  def quantiles: Option[Phi => Long] = {
    val all = estimates
    if (all.isEmpty) None else Some(all.quantile(_))
  }

  override def description: Description =
    super.description.copy(exact = Some(profile.isExact), confidence = Some(confidence))
}

/** A summary that promises how many ranks an answer is off at most. */
trait Ranked extends Bounded {

  /** The share of its elements that the rank of an answer is off at most. */
  def epsilon: Double

  /** The φ-quantile; of a summary that has seen something. */
  def quantile(phi: Phi): Long = estimates.quantile(phi)

  /** The most ranks that a quantile is off, as a share of the elements; of a summary that has seen something. */
  def rankError: Double = profile.rankError

  override def description: Description =
    super.description.copy(error = if (profile.isEmpty) None else Some(rankError))
}
