package chronosketch.sliding.histogram

import chronosketch.sliding.moments.DoubleSums

/** What do numbers add up to?
  *
  * Guarantee  of n of them, with u = 2⁻⁵³: within u·|sum| + 2(nu)²·Σ|number|; as they add up where that is not finite
  * Source     Ogita, Rump and Oishi 2005, Sum2
  */
private[histogram] final class Total {
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
