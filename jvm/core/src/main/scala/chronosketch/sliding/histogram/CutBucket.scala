package chronosketch.sliding.histogram

/** Bounds M2 of some numbers together with p of the n numbers of an older bucket. Only n, mean and M2 of the bucket are known.
  *
  * Guarantee  M2 lies between [[low]] and [[high]], rounding included, if no number is further than `reach` from 0
  * Source     docs/algorithms.md, Variance histograms
  *
  * The part's mean differs from the bucket's by at most √(M2/a), a = pn/(n − p), because the other elements of the bucket balance
  * it.
  */
private[histogram] final class CutBucket {
  var low, high = 0.0

  def bound(rest: Spread, part: Long, n: Long, mean: Double, m2: Double, reach: Double): Unit = {
    val p = part.toDouble
    val d = math.abs(mean - rest.mean)
    val c = if (rest.n == 0) 0.0 else p * (rest.n.toDouble / (p + rest.n.toDouble))
    if (part == n) {
      low = rest.m2 + m2 + c * d * d
      high = low
    } else {
      val a = p * (n.toDouble / (n - part).toDouble)
      val furthest = math.sqrt(m2 / a)
      val near = math.max(0.0, d - furthest)
      low = rest.m2 + c * near * near
      val x = c * d / (a - c)
      high =
        if (x <= furthest) rest.m2 + m2 + c * d * d * (a / (a - c))
        else rest.m2 + c * (d + furthest) * (d + furthest)
    }
    widen(part + rest.n, reach)
  }

  /** Widens the bounds by the rounding errors. Means of k numbers are off by at most (k + 8)u·reach, and each addition to M2
    * rounds. M2 of equal numbers stays exactly 0.
    */
  private def widen(k: Long, reach: Double): Unit = if (high > 0) {
    val n = k.toDouble
    val off = (n + 8) * CutBucket.Unit * reach
    def slack(m2: Double) = 16 * n * CutBucket.Unit * m2 + 2 * off * math.sqrt(n * m2) + n * off * off
    low = math.max(0.0, low - slack(low))
    high += slack(high)
  }
}

private object CutBucket {
  private val Unit = math.pow(2, -53)
}
