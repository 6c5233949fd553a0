package chronosketch.ddsketch

import chronosketch.domain.{Domain, DoubleKeys, Kind}
import chronosketch.rank.{CountedIntervals, RankProfile}

/** Which keys of a type can be in a bin: from [[least]] to [[greatest]]. */
private[ddsketch] final class BinKeys(bins: Bins, domain: Domain) {
  import BinKeys.Gaps

  /** Above [[greatest]] where no value of the type is in the bin. */
  def least(bin: Int): Long = {
    val value = bins.least(bin)
    domain.kind match {
      case Kind.Double => DoubleKeys.key(value)
      case Kind.Float =>
        val nearest = value.toFloat
        DoubleKeys.key((if (nearest < value) Math.nextUp(nearest) else nearest).toDouble)
      case _ => if (isNumber(bin)) math.max(domain.least, math.ceil(value).toLong) else Long.MaxValue
    }
  }

  def greatest(bin: Int): Long = {
    val value = bins.greatest(bin)
    domain.kind match {
      case Kind.Double => DoubleKeys.key(value)
      case Kind.Float =>
        val nearest = value.toFloat
        DoubleKeys.key((if (nearest > value) Math.nextDown(nearest) else nearest).toDouble)
      case _ => if (isNumber(bin)) math.min(domain.greatest, math.floor(value).toLong) else Long.MinValue
    }
  }

  /** Whether a bin is so wide, and so near 0, that it holds some value of the type, where whole numbers of the type reach as far. */
  def isFilled(bin: Long): Boolean = math.abs(bin) >= filledFrom && math.abs(bin) <= filledUntil

  private val filledFrom: Int = domain.kind match {
    case Kind.Double => bins.of(java.lang.Double.MIN_NORMAL)
    case Kind.Float => bins.of(Gaps / bins.alpha * java.lang.Float.MIN_VALUE)
    case _ => bins.of(Gaps / bins.alpha)
  }

  // between its greatest number and infinity there is nothing
  private val filledUntil: Int = domain.kind match {
    case Kind.Float => bins.of(Float.MaxValue.toDouble)
    case _ => bins.nan
  }

  private def isNumber(bin: Int): Boolean = math.abs(bin) < bins.infinity
}

private[ddsketch] object BinKeys {

  /** Numbers of so many gaps between values, divided by alpha, are in bins that are wider than a gap. */
  private val Gaps = 4.0
}

/** What bins make certain about ranks: all of a bin is below a key from its greatest on, and nothing of it before its least. */
private[ddsketch] object BinProfile {

  /** Of bins that have rows. Minimum and maximum are elements that are known: each stands beside its bin. */
  def of(keys: BinKeys, stored: StoredBins): RankProfile = {
    val bins = stored.bins.keys
    val m = bins.length
    val lows, highs, counts = new Array[Long](m + 2)
    lows(0) = stored.least
    highs(0) = stored.least
    counts(0) = 1L
    var i = 0
    while (i < m) {
      lows(i + 1) = math.max(stored.least, keys.least(bins(i).toInt))
      highs(i + 1) = math.min(stored.greatest, keys.greatest(bins(i).toInt))
      counts(i + 1) = stored.bins.counts(i)
      i += 1
    }
    lows(m + 1) = stored.greatest
    highs(m + 1) = stored.greatest
    // of one element alone the minimum is the maximum
    counts(m + 1) = if (stored.total > 1) 1L else 0L
    counts(1) -= 1
    counts(m) -= counts(m + 1)
    CountedIntervals.profile(lows, highs, counts, stored.total)
  }
}
