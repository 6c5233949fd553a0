package chronosketch.sliding.histogram

import chronosketch.sliding.moments.DoubleSums

/** Count, mean and M2 of numbers. M2 is the sum of their squared distances from the mean.
  *
  * Source  Chan, Golub and LeVeque 1983
  */
private[histogram] final class Spread {
  var n = 0L
  var mean, m2 = 0.0

  def clear(): Unit = {
    n = 0L
    mean = 0.0
    m2 = 0.0
  }

  def add(value: Double): Unit = {
    n += 1
    val delta = value - mean
    mean += delta / n.toDouble
    m2 += delta * (value - mean)
  }

  def add(thatN: Long, thatMean: Double, thatM2: Double): Unit = {
    val all = n + thatN
    val delta = thatMean - mean
    val share = thatN.toDouble / all.toDouble
    m2 += thatM2 + delta * delta * share * n.toDouble
    mean += delta * share
    n = all
  }
}

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
