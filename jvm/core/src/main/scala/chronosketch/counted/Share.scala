package chronosketch.counted

/** Computes a share of n elements. */
private[chronosketch] object Share {

  /** ⌊epsilon·n⌋, computed exactly. If a product were rounded up, the shares of parts could add up to more than the share of the
    * whole, which would break the guarantees.
    */
  def of(epsilon: Double, n: Long): Long = {
    val product = epsilon * n.toDouble
    if (product >= (1L << 52).toDouble || n > (1L << 53)) {
      new java.math.BigDecimal(epsilon).multiply(java.math.BigDecimal.valueOf(n)).toBigInteger.longValueExact
    } else {
      val floor = product.toLong
      if (floor.toDouble == product && Math.fma(epsilon, n.toDouble, -product) < 0) floor - 1 else floor
    }
  }
}
