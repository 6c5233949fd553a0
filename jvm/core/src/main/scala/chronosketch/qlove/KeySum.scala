package chronosketch.qlove

import java.math.{BigDecimal, BigInteger, MathContext, RoundingMode}

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.Estimate

/** An exact sum of keys that can be added and removed, for their mean.
  *
  * Guarantee  the mean is exact except for rounding of its last digit, and never outside the range of the keys; it does not depend on keys
  *            that were removed. NaN if a key is NaN, or if both −∞ and +∞ are present
  * Cost       two additions per key, three for floating-point keys; a division per mean; 16 bytes, 600 for floating-point keys
  * Units      the values of the keys
  */
private[qlove] abstract class KeySum {
  def add(key: Long): Unit

  /** Removes a key that was added. */
  def remove(key: Long): Unit

  /** The mean of the present keys, of which there are n ≥ 1. */
  def mean(n: Int, domain: Domain): Estimate
}

private[qlove] object KeySum {

  /** An empty sum. The number of panes in a window is limited, so the halves of a sum do not overflow. */
  def apply(domain: Domain): KeySum = if (domain.isFloating) new FloatingSum else new WholeSum
}

/** The sum of whole-number keys, as separate sums of their upper and lower halves. */
private[qlove] final class WholeSum extends KeySum {
  private var upper, lower = 0L

  def add(key: Long): Unit = { upper += key >> 32; lower += key & 0xffffffffL }
  def remove(key: Long): Unit = { upper -= key >> 32; lower -= key & 0xffffffffL }

  def mean(n: Int, domain: Domain): Estimate = {
    val sum = new BigDecimal(BigInteger.valueOf(upper).shiftLeft(32).add(BigInteger.valueOf(lower)))
    val mean = sum.divide(BigDecimal.valueOf(n.toLong), MathContext.DECIMAL128)
    Estimate(
      mean.setScale(0, RoundingMode.HALF_UP).longValueExact,
      mean.movePointLeft(domain.scale).doubleValue
    )
  }
}

/** An exact sum of doubles, as a fixed-point number of all binary digits that a double can have, with 32 bits per array element. Removing a
  * key subtracts exactly what it added.
  */
private[qlove] final class FloatingSum extends KeySum {
  private val places = new Array[Long](FloatingSum.Places)
  private var nans, above, below = 0

  def add(key: Long): Unit = put(key, 1)
  def remove(key: Long): Unit = put(key, -1)

  private def put(key: Long, sign: Int): Unit = {
    val value = DoubleKeys.value(key)
    if (value != value) nans += sign
    else if (value == Double.PositiveInfinity) above += sign
    else if (value == Double.NegativeInfinity) below += sign
    else {
      val bits = java.lang.Double.doubleToRawLongBits(value)
      val exponent = ((bits >>> 52) & 0x7ff).toInt
      val fraction = bits & ((1L << 52) - 1)
      val digits = if (exponent == 0) fraction else fraction | 1L << 52
      val from = math.max(exponent - 1, 0)
      val (place, by) = (from >>> 5, from & 31)
      val times = if (bits < 0) -sign.toLong else sign.toLong
      places(place) += times * ((digits << by) & 0xffffffffL)
      places(place + 1) += times * ((digits >>> (32 - by)) & 0xffffffffL)
      // shifted by at most 11, the 53 digits fit into two places
      if (by > 11) places(place + 2) += times * (digits >>> (64 - by))
    }
  }

  def mean(n: Int, domain: Domain): Estimate = {
    val mean =
      if (nans > 0 || (above > 0 && below > 0)) Double.NaN
      else if (above > 0) Double.PositiveInfinity
      else if (below > 0) Double.NegativeInfinity
      else nearest(n)
    val stored = if (domain == Domain.Float) mean.toFloat.toDouble else mean
    Estimate(DoubleKeys.key(stored), mean)
  }

  /** The double nearest to the mean; of two, the even one. */
  private def nearest(n: Int): Double = {
    var least = 0
    while (least < places.length && places(least) == 0L) least += 1
    if (least == places.length) 0.0
    else {
      var sum = BigInteger.ZERO
      var place = places.length - 1
      while (place >= least) {
        if (places(place) != 0L || sum.signum != 0)
          sum = sum.shiftLeft(32).add(BigInteger.valueOf(places(place)))
        place -= 1
      }
      // shift so that the quotient has more digits than a double
      val more = math.max(0, 100 - sum.bitLength)
      val parts = sum.abs.shiftLeft(more).divideAndRemainder(BigInteger.valueOf(n.toLong))
      val quotient = parts(0)
      val unit = 32 * least + FloatingSum.LeastExponent - more
      val drop = math.max(quotient.bitLength - 53, FloatingSum.LeastExponent - unit)
      val down = quotient.shiftRight(drop).longValue
      val isAboveHalf = parts(1).signum != 0 || quotient.getLowestSetBit < drop - 1
      val isUp = quotient.testBit(drop - 1) && (isAboveHalf || (down & 1L) == 1L)
      val size = Math.scalb((if (isUp) down + 1 else down).toDouble, unit + drop)
      // subtract from 0.0, so that the result is never −0.0
      if (sum.signum < 0) 0.0 - size else size
    }
  }
}

private object FloatingSum {

  /** The exponent of the least positive double. */
  private val LeastExponent = -1074

  private val Places = 2046 / 32 + 3
}
