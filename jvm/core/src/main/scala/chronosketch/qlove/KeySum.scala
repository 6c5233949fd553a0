package chronosketch.qlove

import java.math.{BigDecimal, BigInteger, MathContext, RoundingMode}

import chronosketch.domain.Domain
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
      mean.movePointLeft(Numbers.scale(domain)).doubleValue
    )
  }
}
