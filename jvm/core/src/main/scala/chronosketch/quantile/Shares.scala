package chronosketch.quantile

/** How many of n elements are a share of them? */
private[quantile] trait Shares {

  /** ⌊epsilon·n⌋ of the real numbers that the arguments are: one rounding up would break the promise that parts' shares add
    * up to at most the whole's.
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
