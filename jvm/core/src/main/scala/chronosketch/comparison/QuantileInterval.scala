package chronosketch.comparison

import chronosketch.Refusal
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.shape.CertainCount
import chronosketch.summary.{Bounded, Estimates, Parameter}

/** A confidence interval of the φ-quantile of the population that the elements were drawn from, in keys.
  *
  * Guarantee  contains the interval that the elements themselves would give: from the order statistic of one rank to that of another.
  *            That one contains the population's quantile with at least the confidence asked for, for rows that are independent, of
  *            any distribution. The certificate says how far the sketch may be off, and the confidence how far the sample may be
  * Units      an end is None if no rank is low or high enough: below 6 values no interval of the median has 95 %
  *
  * @param value the φ-quantile of the elements
  */
final case class QuantileInterval(value: Long, low: Option[Long], high: Option[Long])

object QuantileInterval {
  val Confidence: Parameter = Parameter("confidence", default = 0.95, least = 0.5, greatest = 1 - 1e-9)

  /** The design effect of independent rows. */
  val Independent: Double = 1.0

  /** The interval of a summary's φ-quantile; None if the summary is empty. Refuses an uncertain count. */
  def of(summary: Bounded, phi: Phi, confidence: Double, designEffect: Double): Option[QuantileInterval] =
    SampledQuantile.of(summary, phi, designEffect).map { sampled =>
      val tail = (1 - confidence) / 2
      QuantileInterval(sampled.value, sampled.low(tail), sampled.high(tail))
    }
}

/** The φ-quantile of a profile as an estimate of the population's.
  *
  * A design effect d says that the rows are worth n/d independent ones, as rows of one user are alike. The ranks are those of ⌊n/d⌋
  * rows, scaled up to n and rounded outward: with d = 1 they are the exact ones. Near the ends this covers more than p ± z·√(p(1 − p)·d/n)
  * would, whose interval can be empty there.
  *
  * @param value the estimated quantile of the elements
  */
private[comparison] final class SampledQuantile(
    profile: RankProfile,
    val value: Long,
    phi: Phi,
    designEffect: Double
) {
  // the rank n + 1 stands for no end, so it must be a number
  private val n = math.min(profile.countLow, Long.MaxValue - 1)
  private val independent =
    if (designEffect == 1) n
    else math.max(1.0, math.floor(math.min(n / designEffect, SampledQuantile.MostRows))).toLong
  private val ranks = new BinomialRanks(independent, phi)

  /** The bounds of the quantile of the elements. */
  val (least: Long, greatest: Long) = profile.quantileBounds(phi)

  /** The lower end of the interval that is missed on this side with at most this probability, as a key; None if there is none. */
  def low(tail: Double): Option[Long] = {
    val rank = scaledDown(ranks.low(tail))
    Option.when(rank >= 1)(profile.keyBoundsOfRank(rank)._1)
  }

  /** The upper end, alike. */
  def high(tail: Double): Option[Long] = {
    val rank = scaledUp(ranks.high(tail))
    Option.when(rank <= n)(profile.keyBoundsOfRank(rank)._2)
  }

  // rank r of n/d rows follows a share of (r − 1)/(n/d), and so does its rank among n rows
  private def scaledDown(rank: Long): Long =
    if (independent == n || rank == 0) rank
    else math.floor(n.toDouble * ((rank - 1).toDouble / independent.toDouble)).toLong + 1

  private def scaledUp(rank: Long): Long =
    if (independent == n) rank
    else if (rank > independent) n + 1
    else math.ceil(n.toDouble * (rank.toDouble / independent.toDouble)).toLong
}

private[comparison] object SampledQuantile {

  /** More rows than a double counts make no difference. */
  private val MostRows = Math.scalb(1.0, 53)

  /** The key that the summary answers. It lies within the bounds. */
  private def answer(summary: Bounded, phi: Phi): Long = summary match {
    case able: Estimates => able.estimate(phi).get.key
    case _ => summary.estimates.quantile(phi)
  }

  def of(summary: Bounded, phi: Phi, designEffect: Double): Option[SampledQuantile] = {
    if (!(designEffect > 0) || designEffect.isInfinite)
      throw Refusal("CHRONOSKETCH_INVALID_DESIGN_EFFECT", "value" -> designEffect.toString)
    val profile = CertainCount.requireCount(summary)
    Option.unless(profile.isEmpty)(new SampledQuantile(profile, answer(summary, phi), phi, designEffect))
  }
}
