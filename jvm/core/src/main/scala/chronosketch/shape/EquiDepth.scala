package chronosketch.shape

import java.math.{BigDecimal, RoundingMode}

import scala.collection.mutable.ArrayBuffer

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.Bounded

/** A bin of a histogram: the elements above `lower` up to and with `upper`; the first bin has those at `lower` too.
  *
  * @param count the best estimate; those of all bins add up to the estimated count
  * @param low   so many there are at least
  * @param high  so many there are at most
  */
final case class Bin(lower: Long, upper: Long, count: Long, low: Long, high: Long)

/** A histogram whose bins have about as many elements each: cut at the quantiles 1/bins, 2/bins, …
  *
  * Guarantee  every element is in one bin; the true number of elements in a bin lies within its bounds
  * Cost       O(bins · log m), m the keys of the profile
  * Units      edges are keys. A value that fills several bins is the upper edge of one: there are fewer bins then
  */
object EquiDepth {

  /** No more bins can be asked for. */
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
        val rank = if (isLast) middle(estimates) else estimates.rank(estimates.position(edge))
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

  /** All of them, in the middle of what there can be. */
  private def middle(profile: RankProfile): Long =
    profile.countLow + (profile.countHigh - profile.countLow) / 2

  /** Cut off after so many digits that no count of 63 bits makes another rank of it: a rank is rounded up. */
  private def share(part: Int, of: Int): Phi =
    Phi(BigDecimal.valueOf(part.toLong).divide(BigDecimal.valueOf(of.toLong), 30, RoundingMode.DOWN))
}
