package chronosketch.qlove

import java.math.BigInteger

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.Estimate

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
