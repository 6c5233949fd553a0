package chronosketch.qlove

import java.math.{BigDecimal, BigInteger, MathContext, RoundingMode}

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.Estimate

/** What keys are worth as numbers. */
private[qlove] object Numbers {

  private def scale(domain: Domain): Int = if (domain.isNumeric) domain.second else 0

  /** How far b is above a; a ≤ b. */
  def difference(a: Long, b: Long, domain: Domain): Double =
    if (a == b) 0.0
    else if (domain.isFloating) DoubleKeys.value(b) - DoubleKeys.value(a)
    else new BigDecimal(BigInteger.valueOf(b).subtract(BigInteger.valueOf(a)), scale(domain)).doubleValue

  /** The mean of n ≥ 1 keys: exact but for its last digit, never outside of what they are. NaN if one is NaN, or −∞ and +∞ both
    * are there.
    */
  def mean(n: Int, key: Int => Long, domain: Domain): Estimate =
    if (domain.isFloating) {
      val mean = doubles(n, i => DoubleKeys.value(key(i)))
      val stored = if (domain == Domain.Float) mean.toFloat.toDouble else mean
      Estimate(DoubleKeys.key(stored), mean)
    } else whole(n, key, scale(domain))

  private def whole(n: Int, key: Int => Long, scale: Int): Estimate = {
    // the upper and the lower half of each
    var upper, lower = 0L
    var i = 0
    while (i < n) {
      val k = key(i)
      upper += k >> 32
      lower += k & 0xffffffffL
      i += 1
    }
    val sum = new BigDecimal(BigInteger.valueOf(upper).shiftLeft(32).add(BigInteger.valueOf(lower)))
    val mean = sum.divide(BigDecimal.valueOf(n.toLong), MathContext.DECIMAL128)
    Estimate(mean.setScale(0, RoundingMode.HALF_UP).longValueExact, mean.movePointLeft(scale).doubleValue)
  }

  /** Compensated; where the sum is beyond the doubles though the mean is not, in smaller units. */
  private def doubles(n: Int, value: Int => Double): Double = {
    var least = value(0)
    var greatest = least
    var hasNaN = false
    var i = 0
    while (i < n) {
      val v = value(i)
      if (v != v) hasNaN = true
      least = math.min(least, v)
      greatest = math.max(greatest, v)
      i += 1
    }
    if (hasNaN || (least.isInfinite && greatest.isInfinite && least != greatest)) Double.NaN
    else if (least.isInfinite) least
    else if (greatest.isInfinite) greatest
    else {
      val small = math.max(math.abs(least), math.abs(greatest)) < Double.MaxValue / n / 2
      val unit = if (small) 1.0 else 1.0 / (1 << 30)
      var sum, rest = 0.0
      i = 0
      while (i < n) {
        val v = value(i) * unit
        val next = sum + v
        rest += (if (math.abs(sum) >= math.abs(v)) (sum - next) + v else (v - next) + sum)
        sum = next
        i += 1
      }
      math.min(greatest, math.max(least, (sum + rest) / n / unit))
    }
  }
}
