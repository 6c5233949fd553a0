package chronosketch.shape

import java.math.{BigDecimal, RoundingMode}

import scala.collection.mutable.ArrayBuffer

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.Bounded

/** A bin of a histogram: the elements above `lower` up to and including `upper`. The first bin includes `lower`, too.
  *
  * @param count the estimated number of elements; those of all bins add up to the estimated count
  * @param low   the least possible number of elements
  * @param high  the greatest possible number of elements
  */
final case class Bin(lower: Long, upper: Long, count: Long, low: Long, high: Long)

/** Computes an equi-depth histogram: bins with about equally many elements, divided at the quantiles 1/bins, 2/bins, …
  *
  * Guarantee  every element is in one bin; the true number of elements of a bin lies within its bounds
  * Cost       O(bins · log m), m the number of keys of the profile
  * Units      edges are keys. A value that would fill several bins is the upper edge of only one; then there are fewer bins
  */
object EquiDepth {

  /** The most bins that can be requested. */
  val MostBins = 10000

  def bins(summary: Bounded, wanted: Int): Seq[Bin] = {
    val profile = summary.profile
    if (profile.isEmpty) Nil else cut(profile, summary.estimates, wanted)
  }

  private def cut(profile: RankProfile, estimates: RankProfile, wanted: Int): Seq[Bin] = {
    val bins = new ArrayBuffer[Bin](wanted)
    var lower = profile.minimum
    var counted, low, high = 0L
    var i = 1
    while (i <= wanted) {
      val isLast = i == wanted
      val edge = if (isLast) profile.maximum else estimates.quantile(share(i, wanted))
      if (edge > lower || (bins.isEmpty && (edge == lower || isLast))) {
        val at = profile.position(edge)
        val rank = if (isLast) estimatedCount(estimates) else estimates.rank(estimates.position(edge))
        val (least, most) = profile.rankBounds(at)
        bins += Bin(lower, edge, rank - counted, math.max(0L, least - high), most - low)
        counted = rank
        low = least
        high = most
        lower = edge
      }
      i += 1
    }
    bins.toSeq
  }

  /** The estimated count of all elements: the middle of its bounds. */
  private def estimatedCount(profile: RankProfile): Long =
    profile.countLow + (profile.countHigh - profile.countLow) / 2

  /** The fraction part / parts, truncated. It has enough digits to give the same rank as the exact fraction for every count below 2⁶³:
    * ranks are rounded up.
    */
  private[chronosketch] def share(part: Int, parts: Int): Phi =
    Phi(BigDecimal.valueOf(part.toLong).divide(BigDecimal.valueOf(parts.toLong), 30, RoundingMode.DOWN))
}
