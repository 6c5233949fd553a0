package chronosketch.summary

import chronosketch.rank.{Phi, RankProfile}

/** A summary that is certain between which ranks a value is, and between which values a quantile. */
trait Bounded extends Extremes {
  def profile: RankProfile

  def minimum: Option[Long] = end(_.minimum)
  def maximum: Option[Long] = end(_.maximum)

  private def end(of: RankProfile => Long): Option[Long] = {
    val all = profile
    if (all.isEmpty) None else Some(of(all))
  }

  /** How it answers quantiles: as its profile does; none where it has seen nothing. */
  def quantiles: Option[Phi => Long] = {
    val all = profile
    if (all.isEmpty) None else Some(all.quantile(_))
  }

  override def description: Description = super.description.copy(exact = Some(profile.isExact))
}

/** A summary that promises how many ranks an answer is off at most. */
trait Ranked extends Bounded {

  /** The share of its elements that the rank of an answer is off at most. */
  def epsilon: Double

  /** What the profile answers; of a summary that has seen something. */
  def quantile(phi: Phi): Long = profile.quantile(phi)

  override def description: Description =
    super.description.copy(error = if (profile.isEmpty) None else Some(profile.rankError))
}
