package chronosketch.qlove

import java.math.{BigDecimal, BigInteger}

import chronosketch.domain.{Domain, DoubleKeys}

/** What keys are worth as numbers. */
private[qlove] object Numbers {

  def scale(domain: Domain): Int = if (domain.isNumeric) domain.second else 0

  /** How far b is above a; a ≤ b. */
  def difference(a: Long, b: Long, domain: Domain): Double =
    if (a == b) 0.0
    else if (domain.isFloating) DoubleKeys.value(b) - DoubleKeys.value(a)
    else new BigDecimal(BigInteger.valueOf(b).subtract(BigInteger.valueOf(a)), scale(domain)).doubleValue
}
