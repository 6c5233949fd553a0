package chronosketch.ddsketch

import chronosketch.domain.{Domain, DoubleKeys, Kind}

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

  /** How far apart two keys are. A whole number, or a decimal by its unscaled value, takes up 1. */
  def width(low: Long, high: Long): Double =
    if (domain.isFloating) DoubleKeys.value(high) - DoubleKeys.value(low) else (high - low).toDouble + 1.0
}

private[ddsketch] object BinKeys {

  /** Numbers of at least this many gaps between values, divided by alpha, are in bins wider than a gap. */
  private val Gaps = 4.0
}
