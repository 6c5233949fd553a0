package chronosketch.comparison

import java.math.BigDecimal

import scala.collection.mutable.ArrayBuilder

import chronosketch.rank.Phi
import chronosketch.sort.BinarySearch.firstWhere

/** Finds the ranks between which the population's φ-quantile lies with a given confidence, from the binomial distribution.
  *
  * Guarantee  for n independent rows of any distribution, the quantile is below the element of the rank [[low]], or above that of the
  *            rank [[high]], with a probability of at most `tail` each. Exact while n·φ·(1 − φ) ≤ 10⁴; beyond that the ranks of the
  *            Cornish–Fisher expansion, one further out
  * Cost       O(√n) at most once, and O(log n) for each tail
  * Source     Thompson, On confidence ranges for the median, 1936; David, Nagaraja, Order statistics, 2003, §7.1
  */
private[comparison] final class BinomialRanks(n: Long, phi: Phi) {
  // the smaller of the two shares keeps all digits of the counts
  private val isMirrored = phi.decimal.doubleValue > 0.5
  private val p = (if (isMirrored) BigDecimal.ONE.subtract(phi.decimal) else phi.decimal).doubleValue
  private val mean = n.toDouble * p
  private val variance = mean * (1 - p)
  private lazy val counts = new LikelyCounts(n, p)

  /** The greatest rank r with P(X < r) ≤ tail, X being the number of elements at or below the quantile; 0 if there is none. */
  def low(tail: Double): Long = if (isMirrored) n + 1 - upper(tail) else lower(tail)

  /** The least rank r with P(X ≥ r) ≤ tail; n + 1 if there is none. */
  def high(tail: Double): Long = if (isMirrored) n + 1 - lower(tail) else upper(tail)

  private def lower(tail: Double): Long =
    if (variance <= BinomialRanks.MostVariance) counts.lower(tail)
    else math.max(0L, math.floor(expansion(-Normal.quantile(tail)) - 0.5).toLong)

  private def upper(tail: Double): Long =
    if (variance <= BinomialRanks.MostVariance) counts.upper(tail)
    else math.min(n + 1, math.ceil(expansion(Normal.quantile(tail)) + 1.5).toLong)

  private def expansion(z: Double): Double = mean + z * math.sqrt(variance) + (z * z - 1) * (1 - 2 * p) / 6
}

private object BinomialRanks {

  /** With a standard deviation of 100 the terms that the expansion leaves out are far below one rank. */
  private val MostVariance = 1e4
}

/** The counts that a binomial distribution with p ≤ ½ is likely to have, with the probabilities to be at most or at least there. */
private final class LikelyCounts(n: Long, p: Double) {
  private val q = 1 - p
  private val mode = math.min(n, math.floor((n + 1.0) * p).toLong)
  private val below = weights(-1)
  private val above = weights(1)
  private val least = mode - below.length
  private val size = below.length + 1 + above.length

  // sums from the ends to the middle keep the digits of small probabilities
  private val atMost = new Array[Double](size)
  private val atLeast = new Array[Double](size)
  sumFromBothEnds()
  private val total = atMost(size - 1)

  /** The weights of the counts below or above the mode, outward, if the mode's is 1. */
  private def weights(step: Int): Array[Double] = {
    val found = new ArrayBuilder.ofDouble
    var k = mode
    var weight = ratio(k, step)
    while (weight > LikelyCounts.LeastWeight) {
      found.addOne(weight)
      k += step
      weight *= ratio(k, step)
    }
    found.result()
  }

  /** The weight of k's neighbour over that of k: so no factorial is needed. */
  private def ratio(k: Long, step: Int): Double =
    if (step < 0) if (k == 0) 0.0 else k * q / ((n - k + 1) * p)
    else if (k == n) 0.0
    else (n - k) * p / ((k + 1) * q)

  private def sumFromBothEnds(): Unit = {
    var i = 0
    var sum = 0.0
    while (i < size) {
      sum += weight(i)
      atMost(i) = sum
      i += 1
    }
    sum = 0.0
    while (i > 0) {
      i -= 1
      sum += weight(i)
      atLeast(i) = sum
    }
  }

  private def weight(i: Int): Double = {
    val fromMode = i - below.length
    if (fromMode < 0) below(-fromMode - 1) else if (fromMode == 0) 1.0 else above(fromMode - 1)
  }

  /** The greatest r with P(X < r) ≤ tail. */
  def lower(tail: Double): Long = least + firstWhere(size)(i => atMost(i) > tail * total)

  /** The least r with P(X ≥ r) ≤ tail. */
  def upper(tail: Double): Long = least + firstWhere(size)(i => atLeast(i) <= tail * total)
}

private object LikelyCounts {

  /** Counts that are this much less likely than the most likely one are left out. No tail that is asked for is so small. */
  private val LeastWeight = 1e-25
}
