package chronosketch.sample

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Description, Ranked}

/** A summary that consists of randomly sampled values, and answers from them.
  *
  * Guarantee  all its bounds hold together with probability [[confidence]] (see [[SampleBand]])
  */
trait Sampled extends Ranked {

  /** The sampled keys in ascending order. */
  def values: Array[Long]

  /** Rank bounds and estimates for all rows. */
  private[chronosketch] def profiles: SampleBand.Profiles

  /** The probability that some bound does not hold. */
  private[chronosketch] def delta: Double

  def profile: RankProfile = profiles.bounds
  override def estimates: RankProfile = profiles.estimates
  override def quantile(phi: Phi): Long = estimates.quantile(phi)
  override def rankError: Double = profiles.rankError
  override def confidence: Double = if (profile.isExact) 1.0 else 1 - delta

  override def description: Description = super.description.copy(kept = Some(values.length.toLong))
}
