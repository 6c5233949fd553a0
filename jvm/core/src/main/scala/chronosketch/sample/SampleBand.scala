package chronosketch.sample

import chronosketch.rank.RankProfile

/** Between which ranks are the values of a sample in the rows that it was drawn from?
  *
  * Guarantee  of m rows drawn without replacement from N, each set of m as likely as any other: with a probability of 1 − δ all of its
  *            bounds hold at once. Certain where m = N
  * Cost       a pass over the sample
  * Units      ranks of N elements
  * Source     one half of δ: Dvoretzky, Kiefer, Wolfowitz 1956 with the constant of Massart 1990, whatever the value; for draws without
  *            replacement by Hoeffding 1963, Theorem 4: the supremum is a convex function of the draws. The other half: Chernoff's
  *            bound for each value of the sample from either side, narrow at both ends (docs/algorithms.md, Bounds of a sample)
  */
private[sample] final class SampleBand(m: Long, n: Long, delta: Double) {
  private val uniform = SampleSize.width(m, delta / 2)
  // 2m events, each exp(−m·KL)
  private val depth = math.log(4 * m.toDouble / delta) / m

  /** The least share of the rows that can be ≤ a value, where a share q of the sample is. */
  def low(q: Double): Double = 1 - high(1 - q)

  /** The greatest. KL(q‖p) is no less than (p − q)²/2p, nor than (p − q)²/2(1 − q), for p > q. */
  def high(q: Double): Double = {
    val fromLow = q + depth + math.sqrt(depth * (depth + 2 * q))
    val fromHigh = q + math.sqrt(2 * (1 - q) * depth)
    math.min(1.0, math.min(q + uniform, math.min(fromLow, fromHigh)))
  }

  /** At least so many of the N are ≤ a value that c of the sample are not above, and at most. */
  def least(c: Long): Long = if (c == 0) 0L else math.max(c, math.floor(low(c.toDouble / m) * n).toLong)
  def most(c: Long): Long =
    if (c == m) n else math.min(n - (m - c), math.ceil(high(c.toDouble / m) * n).toLong)
}

private[sample] object SampleBand {

  /** What a sample is certain or nearly certain of, and what it answers.
    *
    * @param bounds     hold with the probability
    * @param estimates  the sample itself, as if each of its rows stood for as many
    * @param rankError  the most ranks, as a share of N, that a quantile of the estimates is wrong by, with the same probability
    */
  final case class Known(bounds: RankProfile, estimates: RankProfile, rankError: Double)

  /** @param keys rising, the sample
    * @param n    rows that it was drawn from, the least and the greatest of which are known
    */
  def of(keys: Array[Long], n: Long, minimum: Long, maximum: Long, delta: Double): Known = {
    val m = keys.length
    val places = new Array[Long](m + 2)
    // how many of the sample are not above each place
    val upTo = new Array[Int](m + 2)
    var size = 0
    def place(key: Long, count: Int): Unit = {
      if (size == 0 || places(size - 1) != key) { places(size) = key; size += 1 }
      upTo(size - 1) = count
    }
    place(minimum, 0)
    var i = 0
    while (i < m) { place(keys(i), i + 1); i += 1 }
    place(maximum, m)
    val low, high, estimate = new Array[Long](size)
    val band = if (m == n || m == 0) null else new SampleBand(m.toLong, n, delta)
    i = 0
    while (i < size) {
      val c = upTo(i).toLong
      val isLast = i == size - 1
      if (isLast) { low(i) = n; high(i) = n; estimate(i) = n }
      else if (m == n) { low(i) = c; high(i) = c; estimate(i) = c }
      else {
        // the minimum is one, and the maximum is above
        low(i) = math.max(1L, if (band == null) 0L else band.least(c))
        high(i) = math.min(n - 1, if (band == null) n else band.most(c))
        val share = if (m == 0) 0.0 else c.toDouble / m
        estimate(i) = math.max(1L, math.min(n - 1, math.round(share * n)))
      }
      i += 1
    }
    i = 1
    while (i < size) { low(i) = math.max(low(i), low(i - 1)); i += 1 }
    i = size - 2
    while (i >= 0) { high(i) = math.min(high(i), high(i + 1)); i -= 1 }
    var error = 0L
    i = 0
    while (i < size) {
      error = math.max(error, estimate(i) - low(i))
      if (i > 0) error = math.max(error, high(i - 1) - estimate(i - 1))
      i += 1
    }
    Known(
      RankProfile.certain(size, places, low, high, n),
      RankProfile.certain(size, places, estimate, estimate, n),
      error.toDouble / n
    )
  }
}
