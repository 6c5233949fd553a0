package chronosketch.qlove

import java.math.{BigDecimal, BigInteger}

import chronosketch.domain.{Domain, DoubleKeys}

/** Converts keys to numbers. */
private[qlove] object Numbers {

  def scale(domain: Domain): Int = if (domain.isNumeric) domain.second else 0

  /** The difference b − a as a number; a ≤ b. */
  def difference(a: Long, b: Long, domain: Domain): Double =
    if (a == b) 0.0
    else if (domain.isFloating) DoubleKeys.value(b) - DoubleKeys.value(a)
    else new BigDecimal(BigInteger.valueOf(b).subtract(BigInteger.valueOf(a)), scale(domain)).doubleValue
}
