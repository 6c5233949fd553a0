package chronosketch.moments

import java.math.BigInteger

/** Which double is nearest to a quotient of two whole numbers?
  *
  * Guarantee  the nearest one, the even one of two, wherever that is 0 or at least 2⁻¹⁰²² and finite
  * Cost       a division of the numbers as they are
  */
private[moments] object Ratio {

  /** More bits than a double has, and one that says whether any below is set. */
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

  /** The square root, with the sign of `sign`: at most two roundings, so within 1 ulp. */
  def root(sign: Int, numerator: BigInteger, denominator: BigInteger): Double =
    sign * math.sqrt(toDouble(numerator, denominator))
}
