package chronosketch.moments

import java.math.BigInteger

/** Rounds a quotient of two whole numbers to the nearest double.
  *
  * Guarantee  ties go to the even double; holds if the result is 0, or finite and at least 2⁻¹⁰²²
  * Cost       one division of the whole numbers
  */
private[moments] object Ratio {

  /** More bits than a double has, so that the last one can record whether any lower bit is set. */
  private val Bits = 66

  def toDouble(numerator: BigInteger, denominator: BigInteger): Double =
    if (numerator.signum == 0) 0.0
    else {
      val shift = Bits - (numerator.bitLength - denominator.bitLength)
      val above = numerator.abs.shiftLeft(math.max(shift, 0))
      val below = denominator.abs.shiftLeft(math.max(-shift, 0))
      val parts = above.divideAndRemainder(below)
      val quotient = if (parts(1).signum == 0) parts(0) else parts(0).setBit(0)
      val value = Math.scalb(quotient.doubleValue, -shift)
      if (numerator.signum == denominator.signum) value else -value
    }

  /** The square root of the quotient, with the sign of `sign`. It is rounded at most twice, so it is within 1 ulp. */
  def root(sign: Int, numerator: BigInteger, denominator: BigInteger): Double =
    sign * math.sqrt(toDouble(numerator, denominator))
}
