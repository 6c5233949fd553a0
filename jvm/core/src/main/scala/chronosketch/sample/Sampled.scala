package chronosketch.sample

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Description, Ranked}

/** A summary that is some of the values, chosen by chance, and what follows from them: whatever they were chosen from.
  *
  * Guarantee  its bounds hold all at once with the probability [[confidence]], as [[SampleBand]] says
  */
trait Sampled extends Ranked {

  /** The keys of the sample, rising. */
  def values: Array[Long]

  /** What is known by them. */
  private[chronosketch] def known: SampleBand.Known

  /** The probability that the bounds do not hold. */
  private[chronosketch] def delta: Double

  def profile: RankProfile = known.bounds
  override def estimates: RankProfile = known.estimates
  override def quantile(phi: Phi): Long = estimates.quantile(phi)
  override def rankError: Double = known.rankError
  override def confidence: Double = if (profile.isExact) 1.0 else 1 - delta

  override def description: Description = super.description.copy(kept = Some(values.length.toLong))
}
