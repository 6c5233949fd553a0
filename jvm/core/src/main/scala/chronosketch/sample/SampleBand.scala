package chronosketch.sample

import chronosketch.Refusal
import chronosketch.rank.RankProfile

/** Bounds for the ranks that the values of a random sample have among all rows.
  *
  * Guarantee  for m rows drawn without replacement from N, all sets of m being equally likely: all bounds hold together with
  *            probability 1 − δ. Certain if m = N
  * Cost       one pass over the sample
  * Units      ranks of N elements
  * Source     one half of δ: Dvoretzky, Kiefer, Wolfowitz 1956 with the constant of Massart 1990, which holds for all values; for
  *            draws without replacement by Hoeffding 1963, Theorem 4, because the supremum is a convex function of the draws. The
  *            other half: Chernoff's bound for each value of the sample from either side, which is narrow at both ends
  *            (docs/algorithms.md, Bounds of a sample)
  */
private[sample] final class SampleBand(m: Long, delta: Double) {
  private val uniform = SampleSize.width(m, delta / 2)
  // 2m events, each with probability exp(−m·KL)
  private val depth = math.log(4 * m.toDouble / delta) / m

  /** Least share of the rows that can be ≤ a value if a share q of the sample is. */
  def low(q: Double): Double = 1 - high(1 - q)

  /** Greatest such share. For p > q, KL(q‖p) is at least (p − q)²/2p and at least (p − q)²/2(1 − q). */
  def high(q: Double): Double = {
    val fromLow = q + depth + math.sqrt(depth * (depth + 2 * q))
    val fromHigh = q + math.sqrt(2 * (1 - q) * depth)
    math.min(1.0, math.min(q + uniform, math.min(fromLow, fromHigh)))
  }

  /** Least number of n rows that are ≤ a value, if c rows of the sample are. [[most]] is the greatest. */
  def least(c: Long, n: Long): Long =
    if (c == 0) 0L else math.max(c, math.floor(low(c.toDouble / m) * n).toLong)
  def most(c: Long, n: Long): Long =
    if (c == m) n else math.min(n - (m - c), math.ceil(high(c.toDouble / m) * n).toLong)

  /** Largest rank error, as a share of the rows, of a quantile of the sample when the rows' ends are unknown. */
  def maxQuantileError(sampleKeys: SampleKeys): Double = {
    var error = 0.0
    var before = 0.0
    var i = 0
    while (i < sampleKeys.size) {
      val q = sampleKeys.upTo(i).toDouble / m
      error = math.max(error, math.max(q - low(q), high(before) - before))
      before = q
      i += 1
    }
    error
  }
}

private[chronosketch] object SampleBand {

  /** Rank bounds and estimates for all rows, derived from a sample.
    *
    * @param bounds    rank bounds that hold with the given probability
    * @param estimates ranks in the sample, scaled to the number of rows
    * @param rankError largest rank error of a quantile of the estimates, as a share of N, with the same probability
    */
  final case class Profiles(bounds: RankProfile, estimates: RankProfile, rankError: Double)

  /** The profiles of an empty population. */
  val Nothing: Profiles = Profiles(RankProfile.empty, RankProfile.empty, 0.0)

  /** The known facts about all rows: bounds for their number, and keys between which they lie.
    *
    * @param areEndsAttained whether `floor` and `ceiling` are the least and the greatest key; otherwise they only bound all keys
    */
  final case class Population(
      least: Long,
      most: Long,
      floor: Long,
      ceiling: Long,
      areEndsAttained: Boolean = true
  ) {
    def middle: Long = least + (most - least) / 2
  }

  /** Computes the profiles of a sample.
    *
    * @param keys the sample in ascending order
    * @param population the rows that it was drawn from
    */
  def of(keys: Array[Long], population: Population, delta: Double): Profiles = {
    val m = keys.length
    val isWhole = m == population.least && m == population.most
    val ends = if (isWhole) population.copy(floor = keys(0), ceiling = keys(m - 1), areEndsAttained = true)
    else population
    val sampleKeys = new SampleKeys(keys, ends)
    val size = sampleKeys.size
    val keysAt = sampleKeys.keys
    val low, high, aboveLow, aboveHigh = new Array[Long](size + 1)
    val band = if (isWhole || m == 0) null else new SampleBand(m.toLong, delta)
    // the minimum is a row ≤ each key, and the maximum a row above each key but the last
    val edge = if (ends.areEndsAttained) 1L else 0L
    aboveLow(0) = population.least
    aboveHigh(0) = population.most
    var i = 0
    while (i < size) {
      val c = sampleKeys.upTo(i).toLong
      if (i == size - 1) { low(i) = population.least; high(i) = population.most }
      else if (isWhole) { low(i) = c; high(i) = c }
      else {
        low(i) = math.max(edge, if (band == null) 0L else band.least(c, population.least))
        high(i) = math.min(
          population.most - edge,
          if (band == null) population.most else band.most(c, population.most)
        )
        aboveLow(i + 1) = math.max(edge, if (band == null) 0L else band.least(m - c, population.least))
        aboveHigh(i + 1) = math.min(
          population.most - edge,
          if (band == null) population.most else band.most(m - c, population.most)
        )
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
      if (population.least == population.most) RankProfile.certain(size, keysAt, low, high, population.least)
      else RankProfile.between(size, keysAt, low, high, aboveLow, aboveHigh)
    if (ends.areEndsAttained) {
      val estimate = estimates(sampleKeys, m, population.least, isWhole)
      val error = maxError(size, estimate, low, high).toDouble / population.least
      Profiles(bounds, RankProfile.certain(size, keysAt, estimate, estimate, population.least), error)
    } else if (m == 0) Profiles(bounds, RankProfile.empty, 1.0)
    else {
      val own = new SampleKeys(keys, Population(m.toLong, m.toLong, keys(0), keys(m - 1)))
      val estimate = estimates(own, m, population.middle, isWhole = false)
      Profiles(
        bounds,
        RankProfile.certain(own.size, own.keys, estimate, estimate, population.middle),
        math.min(1.0, band.maxQuantileError(own) + 1.0 / population.least)
      )
    }
  }

  /** Ranks among n rows, estimated from a sample of m. */
  private def estimates(sampleKeys: SampleKeys, m: Int, n: Long, isWhole: Boolean): Array[Long] = {
    val estimate = new Array[Long](sampleKeys.size)
    var i = 0
    while (i < sampleKeys.size) {
      val c = sampleKeys.upTo(i)
      estimate(i) =
        if (i == sampleKeys.size - 1) n
        else if (isWhole) c.toLong
        else {
          val share = if (m == 0) 0.0 else c.toDouble / m
          math.max(1L, math.min(n - 1, math.round(share * n)))
        }
      i += 1
    }
    estimate
  }

  private def maxError(size: Int, estimate: Array[Long], low: Array[Long], high: Array[Long]): Long = {
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

/** The distinct keys of a sample and of the ends of its population, each with the number of sample values that are at most as
  * large.
  */
private final class SampleKeys(sample: Array[Long], population: SampleBand.Population) {
  val keys = new Array[Long](sample.length + 2)
  val upTo = new Array[Int](sample.length + 2)
  var size = 0

  place(population.floor, 0)
  private var next = 0
  while (next < sample.length) { place(sample(next), next + 1); next += 1 }
  place(population.ceiling, sample.length)

  private def place(key: Long, count: Int): Unit = {
    if (size == 0 || keys(size - 1) != key) { keys(size) = key; size += 1 }
    upTo(size - 1) = count
  }
}

/** Computes the size of a sample from ε and δ, and the precision of a sample of given size.
  *
  * Guarantee  with probability 1 − δ, no quantile of a sample of this size is wrong by more than εN ranks
  * Cost       O(1)
  * Source     Meijer 2011, §4.5: ⌈ε⁻² ln(1/(εδ))⌉; more if ε is so large that [[SampleBand]] is wider than that
  */
object SampleSize {

  /** ε⁻²·ln(1/(εδ)): the sample size, whatever the number of rows. */
  def rows(epsilon: Double, delta: Double): Double =
    math.log(1 / (epsilon * delta)) / (epsilon * epsilon)

  /** √(ln(8/δ)/2m): with probability 1 − δ, the ranks of all values of a sample of m are wrong by at most this share. */
  def width(m: Long, delta: Double): Double = math.sqrt(math.log(8 / delta) / (2 * m.toDouble))

  def of(epsilon: Double, delta: Double): Int = {
    val needed = math.max(rows(epsilon, delta), math.log(16 / delta) / (2 * epsilon * epsilon))
    if (needed <= SampleFamily.Size.greatest) math.ceil(needed).toInt
    else
      throw Refusal(
        "CHRONOSKETCH_SAMPLE_TOO_LARGE",
        "epsilon" -> epsilon.toString,
        "delta" -> delta.toString,
        "rows" -> f"$needed%.0f",
        "limit" -> SampleFamily.Size.greatest.toLong.toString
      )
  }
}
