package chronosketch.rank

import java.math.{BigDecimal, BigInteger, MathContext, RoundingMode}

import chronosketch.Refusal

/** Turns a share φ into the rank that the φ-quantile of n elements has.
  *
  * Guarantee  exactly max(1, ⌈φn⌉), φ being the decimal that its shortest text denotes: ⌈0.07·100⌉ is 7, though the double
  *            nearest 0.07 lies above it. Counted from the greatest element it is the same rank from the other end
  * Cost       two multiplications while φ's digits times n fit 63 bits
  *
  * @param isFromGreatest whether φ counts from the greatest element, as ORDER BY … DESC does
  */
final class Phi private (unscaled: BigInteger, val scale: Int, val isFromGreatest: Boolean)
    extends Serializable {
  private val denominator: BigInteger = BigInteger.TEN.pow(scale)
  private val complement: BigInteger = denominator.subtract(unscaled)
  private val small: Boolean = denominator.bitLength <= 62
  private val numeratorLong: Long = if (small) unscaled.longValueExact else 0L
  private val denominatorLong: Long = if (small) denominator.longValueExact else 1L

  def decimal: BigDecimal = new BigDecimal(unscaled, scale)

  /** The same share, counted from the greatest element. */
  def fromGreatest: Phi = new Phi(unscaled, scale, isFromGreatest = true)

  /** The rank sought among n elements, counted from 1 at the least. */
  def rank(n: Long): Long = {
    val counted = ceiling(n)
    // 1 − φ from the least is one off where φn is whole
    if (isFromGreatest) math.max(1L, n - counted + 1) else counted
  }

  /** max(1, ⌈φn⌉) */
  private def ceiling(n: Long): Long =
    if (small && Math.multiplyHigh(numeratorLong, n) == 0 && numeratorLong * n >= 0) {
      val product = numeratorLong * n
      val quotient = product / denominatorLong
      math.max(1L, if (quotient * denominatorLong == product) quotient else quotient + 1)
    } else {
      val parts = unscaled.multiply(BigInteger.valueOf(n)).divideAndRemainder(denominator)
      math.max(1L, parts(0).longValueExact + parts(1).signum)
    }

  /** The number of steps from the least of n elements to the φ-quantile on the straight line between neighbours: φ·(n − 1). */
  def steps(n: Long): BigDecimal =
    new BigDecimal(if (isFromGreatest) complement else unscaled, scale).multiply(BigDecimal.valueOf(n - 1))

  /** Whether the φ-quantile of atMost + above elements is among the least atMost, of which there is one: (1 − φ)·atMost ≥ φ·above.
    * Counted from the greatest, it is none of those above if there are fewer than φn: φ·atMost > (1 − φ)·above.
    */
  def reached(atMost: Long, above: Long): Boolean = {
    def product(share: BigInteger, elements: Long) = share.multiply(BigInteger.valueOf(elements))
    if (isFromGreatest) above == 0 || product(unscaled, atMost).compareTo(product(complement, above)) > 0
    else product(complement, atMost).compareTo(product(unscaled, above)) >= 0
  }

  override def equals(other: Any): Boolean = other match {
    case that: Phi => isFromGreatest == that.isFromGreatest && decimal.compareTo(that.decimal) == 0
    case _ => false
  }
  override def hashCode: Int = 31 * decimal.stripTrailingZeros.hashCode + isFromGreatest.hashCode
  override def toString: String = decimal.toPlainString
}

object Phi {
  def apply(phi: Double): Phi =
    if (phi >= 0.0 && phi <= 1.0) of(shortest(phi, 17, _.doubleValue == phi)) else refuse(phi.toString)

  def apply(phi: Float): Phi =
    if (phi >= 0.0f && phi <= 1.0f) of(shortest(phi.toDouble, 9, _.floatValue == phi))
    else refuse(phi.toString)

  /** A decimal is used exactly as it is written. */
  def apply(phi: BigDecimal): Phi =
    if (phi.signum >= 0 && phi.compareTo(BigDecimal.ONE) <= 0) of(phi) else refuse(phi.toPlainString)

  private def of(phi: BigDecimal): Phi = {
    val plain = phi.stripTrailingZeros
    val scaled = if (plain.scale < 0) plain.setScale(0) else plain
    new Phi(scaled.unscaledValue, scaled.scale, isFromGreatest = false)
  }

  private def refuse(text: String): Nothing = throw Refusal("CHRONOSKETCH_INVALID_PHI", "phi" -> text)

  /** The shortest decimal that denotes this floating-point number (on JDK 17 Double.toString may give one digit too many). Above a
    * power of two the numbers are further apart than below it: there the nearest decimal of a length may denote another number
    * although the next one up denotes this one.
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
