package chronosketch.sliding.histogram

import chronosketch.sliding.moments.DoubleSums

/** A compensated sum of doubles.
  *
  * Guarantee  for n numbers, with u = 2⁻⁵³: error ≤ u·|sum| + 2(nu)²·Σ|number|; if the sum is not finite, the result of plain
  *            addition
  * Source     Ogita, Rump and Oishi 2005, Sum2
  */
private[histogram] final class CompensatedSum {
  private var sum, rest = 0.0

  def add(value: Double): Unit = {
    val next = sum + value
    rest += DoubleSums.rounded(sum, value, next)
    sum = next
  }

  def value: Double = {
    val exact = sum + rest
    if (exact != exact) sum else exact
  }
}
