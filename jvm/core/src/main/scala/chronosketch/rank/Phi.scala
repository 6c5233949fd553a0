package chronosketch.rank

import java.math.{BigDecimal, BigInteger, MathContext, RoundingMode}

import chronosketch.Refusal

/** Which rank does the φ-quantile of n elements have?
  *
  * Guarantee  exactly max(1, ⌈φn⌉), φ being the decimal that its shortest text denotes: ⌈0.07·100⌉ is 7, though the double
  *            nearest 0.07 lies above it
  * Cost       two multiplications while φ's digits times n fit 63 bits
  */
final class Phi private (unscaled: BigInteger, val scale: Int) extends Serializable {
  private val denominator: BigInteger = BigInteger.TEN.pow(scale)
  private val complement: BigInteger = denominator.subtract(unscaled)
  private val small: Boolean = denominator.bitLength <= 62
  private val numeratorLong: Long = if (small) unscaled.longValueExact else 0L
  private val denominatorLong: Long = if (small) denominator.longValueExact else 1L

  def decimal: BigDecimal = new BigDecimal(unscaled, scale)

  /** The rank sought among n elements, counted from 1. */
  def rank(n: Long): Long =
    if (small && Math.multiplyHigh(numeratorLong, n) == 0 && numeratorLong * n >= 0) {
      val product = numeratorLong * n
      val quotient = product / denominatorLong
      math.max(1L, if (quotient * denominatorLong == product) quotient else quotient + 1)
    } else {
      val parts = unscaled.multiply(BigInteger.valueOf(n)).divideAndRemainder(denominator)
      math.max(1L, parts(0).longValueExact + parts(1).signum)
    }

  /** Whether (1 − φ)·atMost ≥ φ·above: of atMost + above elements, the φ-quantile is among the first atMost. */
  def reached(atMost: Long, above: Long): Boolean =
    complement.multiply(
      BigInteger.valueOf(atMost)
    ).compareTo(unscaled.multiply(BigInteger.valueOf(above))) >= 0

  override def equals(other: Any): Boolean = other match {
    case that: Phi => decimal.compareTo(that.decimal) == 0
    case _ => false
  }
  override def hashCode: Int = decimal.stripTrailingZeros.hashCode
  override def toString: String = decimal.toPlainString
}

object Phi {
  def apply(phi: Double): Phi =
    if (phi >= 0.0 && phi <= 1.0) of(shortest(phi, 17, _.doubleValue == phi)) else refuse(phi.toString)

  def apply(phi: Float): Phi =
    if (phi >= 0.0f && phi <= 1.0f) of(shortest(phi.toDouble, 9, _.floatValue == phi))
    else refuse(phi.toString)

  /** A decimal counts as it is written. */
  def apply(phi: BigDecimal): Phi =
    if (phi.signum >= 0 && phi.compareTo(BigDecimal.ONE) <= 0) of(phi) else refuse(phi.toPlainString)

  private def of(phi: BigDecimal): Phi = {
    val plain = phi.stripTrailingZeros
    val scaled = if (plain.scale < 0) plain.setScale(0) else plain
    new Phi(scaled.unscaledValue, scaled.scale)
  }

  private def refuse(text: String): Nothing = throw Refusal("CHRONOSKETCH_INVALID_PHI", "phi" -> text)

  /** The fewest digits that denote this floating number and no other (Double.toString gives one too many on JDK 17). At a
    * power of two what lies above is further apart than what lies below: there the nearest may miss where the next one up does
    * not.
    */
  private def shortest(value: Double, digits: Int, denotes: BigDecimal => Boolean): BigDecimal = {
    val exact = new BigDecimal(value)
    Iterator
      .range(1, digits + 1)
      .flatMap(d => Iterator(RoundingMode.HALF_EVEN, RoundingMode.UP).map(new MathContext(d, _)))
      .map(exact.round)
      .find(denotes)
      .getOrElse(exact)
  }
}
