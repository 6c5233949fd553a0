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
private[sample] final class SampleBand(m: Long, delta: Double) {
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

  /** At least so many of n rows are ≤ a value that c of the sample are not above, and at most. */
  def least(c: Long, n: Long): Long =
    if (c == 0) 0L else math.max(c, math.floor(low(c.toDouble / m) * n).toLong)
  def most(c: Long, n: Long): Long =
    if (c == m) n else math.min(n - (m - c), math.ceil(high(c.toDouble / m) * n).toLong)

  /** The most that a quantile which the sample alone answers is off, as a share of the rows, whose ends nobody knows. */
  def widest(places: Places): Double = {
    var error = 0.0
    var before = 0.0
    var i = 0
    while (i < places.size) {
      val q = places.upTo(i).toDouble / m
      error = math.max(error, math.max(q - low(q), high(before) - before))
      before = q
      i += 1
    }
    error
  }
}

private[chronosketch] object SampleBand {

  /** What a sample is certain or nearly certain of, and what it answers.
    *
    * @param bounds     hold with the probability
    * @param estimates  the sample itself, as if each of its rows stood for as many
    * @param rankError  the most ranks, as a share of N, that a quantile of the estimates is wrong by, with the same probability
    */
  final case class Known(bounds: RankProfile, estimates: RankProfile, rankError: Double)

  /** Of no rows. */
  val Nothing: Known = Known(RankProfile.empty, RankProfile.empty, 0.0)

  /** What is known of the rows themselves: how many there are, at least and at most, and between which keys they lie.
    *
    * @param isReached whether `floor` and `ceiling` are the least and the greatest of the rows; else no row is beyond
    */
  final case class Population(
      least: Long,
      most: Long,
      floor: Long,
      ceiling: Long,
      isReached: Boolean = true
  ) {
    def middle: Long = least + (most - least) / 2
  }

  /** @param keys rising, the sample
    * @param of   rows that it was drawn from
    */
  def of(keys: Array[Long], of: Population, delta: Double): Known = {
    val m = keys.length
    val isWhole = m == of.least && m == of.most
    val ends = if (isWhole) of.copy(floor = keys(0), ceiling = keys(m - 1), isReached = true) else of
    val places = new Places(keys, ends)
    val size = places.size
    val keysAt = places.keys
    val low, high, aboveLow, aboveHigh = new Array[Long](size + 1)
    val band = if (isWhole || m == 0) null else new SampleBand(m.toLong, delta)
    // the minimum is one, and the maximum is above
    val edge = if (ends.isReached) 1L else 0L
    aboveLow(0) = of.least
    aboveHigh(0) = of.most
    var i = 0
    while (i < size) {
      val c = places.upTo(i).toLong
      if (i == size - 1) { low(i) = of.least; high(i) = of.most }
      else if (isWhole) { low(i) = c; high(i) = c }
      else {
        low(i) = math.max(edge, if (band == null) 0L else band.least(c, of.least))
        high(i) = math.min(of.most - edge, if (band == null) of.most else band.most(c, of.most))
        aboveLow(i + 1) = math.max(edge, if (band == null) 0L else band.least(m - c, of.least))
        aboveHigh(i + 1) = math.min(of.most - edge, if (band == null) of.most else band.most(m - c, of.most))
      }
      i += 1
    }
    i = 1
    while (i < size) {
      low(i) = math.max(low(i), low(i - 1))
      aboveHigh(i) = math.min(aboveHigh(i), aboveHigh(i - 1))
      i += 1
    }
    i = size - 2
    while (i >= 0) {
      high(i) = math.min(high(i), high(i + 1))
      aboveLow(i) = math.max(aboveLow(i), aboveLow(i + 1))
      i -= 1
    }
    val bounds =
      if (of.least == of.most) RankProfile.certain(size, keysAt, low, high, of.least)
      else RankProfile.between(size, keysAt, low, high, aboveLow, aboveHigh)
    if (ends.isReached) {
      val estimate = estimates(places, m, of.least, isWhole)
      val error = worst(size, estimate, low, high).toDouble / of.least
      Known(bounds, RankProfile.certain(size, keysAt, estimate, estimate, of.least), error)
    } else if (m == 0) Known(bounds, RankProfile.empty, 1.0)
    else {
      val own = new Places(keys, Population(m.toLong, m.toLong, keys(0), keys(m - 1)))
      val estimate = estimates(own, m, of.middle, isWhole = false)
      Known(
        bounds,
        RankProfile.certain(own.size, own.keys, estimate, estimate, of.middle),
        math.min(1.0, band.widest(own) + 1.0 / of.least)
      )
    }
  }

  /** Ranks that a sample of m gives to each place, of n rows. */
  private def estimates(places: Places, m: Int, n: Long, isWhole: Boolean): Array[Long] = {
    val estimate = new Array[Long](places.size)
    var i = 0
    while (i < places.size) {
      val c = places.upTo(i)
      estimate(i) =
        if (i == places.size - 1) n
        else if (isWhole) c.toLong
        else {
          val share = if (m == 0) 0.0 else c.toDouble / m
          math.max(1L, math.min(n - 1, math.round(share * n)))
        }
      i += 1
    }
    estimate
  }

  private def worst(size: Int, estimate: Array[Long], low: Array[Long], high: Array[Long]): Long = {
    var error = 0L
    var i = 0
    while (i < size) {
      error = math.max(error, estimate(i) - low(i))
      if (i > 0) error = math.max(error, high(i - 1) - estimate(i - 1))
      i += 1
    }
    error
  }
}

/** The distinct keys of a sample and of the ends of its rows, and how many of the sample are not above each. */
private final class Places(sample: Array[Long], of: SampleBand.Population) {
  val keys = new Array[Long](sample.length + 2)
  val upTo = new Array[Int](sample.length + 2)
  var size = 0

  place(of.floor, 0)
  private var next = 0
  while (next < sample.length) { place(sample(next), next + 1); next += 1 }
  place(of.ceiling, sample.length)

  private def place(key: Long, count: Int): Unit = {
    if (size == 0 || keys(size - 1) != key) { keys(size) = key; size += 1 }
    upTo(size - 1) = count
  }
}
