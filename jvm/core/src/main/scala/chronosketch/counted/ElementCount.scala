package chronosketch.counted

import chronosketch.Refusal

/** Computes with numbers of elements.
  *
  * Guarantee  a count of 2⁶³ or more is refused, never wrong; shares are exact
  * Cost       a comparison; a share: two multiplications
  */
object ElementCount {

  /** Returns a sum of counts. Refuses a negative one: single elements are added without a check, so the sum may have overflowed. */
  def checked(sum: Long): Long = if (sum < 0) throw overflow else sum

  /** Refuses to add `more` elements to `present` ones if the sum would overflow. */
  def requireRoom(present: Long, more: Long): Unit = if (Long.MaxValue - present < more) throw overflow

  private def overflow: Refusal = Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)

  /** ⌊epsilon·n⌋, computed exactly. If a product were rounded up, the shares of parts could add up to more than the share of the
    * whole, which would break the guarantees.
    */
  private[chronosketch] def share(epsilon: Double, n: Long): Long = {
    val product = epsilon * n.toDouble
    if (product >= (1L << 52).toDouble || n > (1L << 53)) {
      new java.math.BigDecimal(epsilon).multiply(java.math.BigDecimal.valueOf(n)).toBigInteger.longValueExact
    } else {
      val floor = product.toLong
      if (floor.toDouble == product && Math.fma(epsilon, n.toDouble, -product) < 0) floor - 1 else floor
    }
  }
}
