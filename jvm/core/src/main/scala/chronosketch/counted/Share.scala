package chronosketch.counted

/** How many of n elements are a share of them? */
private[chronosketch] object Share {

  /** ⌊epsilon·n⌋ of the real numbers that the arguments are: one rounding up would break the promise that parts' shares add
    * up to at most the whole's.
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
