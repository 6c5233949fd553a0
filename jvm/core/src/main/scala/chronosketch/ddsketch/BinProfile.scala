package chronosketch.ddsketch

import chronosketch.domain.{Domain, DoubleKeys, Kind}
import chronosketch.rank.{CountedIntervals, RankProfile}

/** Computes the least and the greatest key of a type that can be in a bin. */
private[ddsketch] final class BinKeys(bins: Bins, domain: Domain) {
  import BinKeys.Gaps

  /** The least key; above [[greatest]] if no value of the type can be in the bin. */
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

  /** Whether a bin surely contains a value of the type, because it is wider than the gaps between values and within the type's range. For
    * whole numbers the caller checks the range.
    */
  def isFilled(bin: Long): Boolean = math.abs(bin) >= filledFrom && math.abs(bin) <= filledUntil

  private val filledFrom: Int = domain.kind match {
    case Kind.Double => bins.of(java.lang.Double.MIN_NORMAL)
    case Kind.Float => bins.of(Gaps / bins.alpha * java.lang.Float.MIN_VALUE)
    case _ => bins.of(Gaps / bins.alpha)
  }

  // no FLOAT lies between the greatest finite one and infinity
  private val filledUntil: Int = domain.kind match {
    case Kind.Float => bins.of(Float.MaxValue.toDouble)
    case _ => bins.nan
  }

  private def isNumber(bin: Int): Boolean = math.abs(bin) < bins.infinity
}

private[ddsketch] object BinKeys {

  /** Numbers of at least this many gaps between values, divided by alpha, are in bins wider than a gap. */
  private val Gaps = 4.0
}

/** Derives rank bounds from counts of bins: all elements of a bin are at or below its greatest key, and none is below its least key. */
private[ddsketch] object BinProfile {

  /** The profile of non-empty bins. The minimum and the maximum are known elements, and are listed apart from their bins. */
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
    // a single element is both the minimum and the maximum
    counts(m + 1) = if (stored.total > 1) 1L else 0L
    counts(1) -= 1
    counts(m) -= counts(m + 1)
    CountedIntervals.profile(lows, highs, counts, stored.total)
  }
}
