package chronosketch.qlove

import java.math.{BigDecimal, BigInteger, MathContext, RoundingMode}

import chronosketch.domain.Domain
import chronosketch.summary.Estimate

/** What is the mean of some keys, of which some come and others go?
  *
  * Guarantee  exact but for its last digit, never outside of what the keys are; whatever came and went before. NaN if one is NaN, or −∞
  *            and +∞ both are there
  * Cost       two additions a key, three of a floating one; a division a mean; 16 bytes, of floating ones 600
  * Units      what the keys are worth
  */
private[qlove] abstract class KeySum {
  def add(key: Long): Unit

  /** One that was added. */
  def remove(key: Long): Unit

  /** Of the n ≥ 1 keys that are there. */
  def mean(n: Int, domain: Domain): Estimate
}

private[qlove] object KeySum {

  /** More panes than a window has would let the parts of a sum run over. */
  def apply(domain: Domain): KeySum = if (domain.isFloating) new FloatingSum else new WholeSum
}

/** The upper and the lower half of each key. */
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
