package chronosketch.window.moments

import chronosketch.bucketing.{BucketList, BucketPolicy, RowBlock}
import chronosketch.domain.Domain

/** Sums of a bucket's elements, and of the squares of their distances.
  *
  * Guarantee  of the elements that straddle a position, as [[Allowance]] has it
  * Cost       that of [[MomentsJoining]]
  */
private[moments] object HoldsMoments extends BucketPolicy {
  def join(held: BucketList, block: RowBlock, domain: Domain, epsilon: Double): BucketList =
    new MomentsJoining(held, block, domain, Allowance(epsilon)).result()

  def union(domain: Domain, epsilon: Double): (AnyRef, AnyRef) => AnyRef = (a, b) => {
    val both = Sums.of(a).copy
    both.add(Sums.of(b))
    both
  }
}

/** Which elements may straddle a position, of those there are after it?
  *
  * Guarantee  with R those that straddle, A those after, and c = √((1 + ε)/(1 − ε)) − 1: R has no more than c·(count of A − 1) elements,
  *            magnitudes of at most 2ε·(those of A) in sum, and Σ(x − μ)² over R is at most c·Σ((x − μ)² + 10⁻³⁰⁰) over A, whatever μ is.
  *            NaN and infinities are in R if they are in A too, and then only counts matter. Where the squares, or the
  *            magnitudes, of A leave the range of doubles, R may have any
  * Merge      all of this is kept by unions, and by more elements in A
  * Source     docs/algorithms.md, Moments of windows
  */
private[moments] final case class Allowance(epsilon: Double) {
  // a little less than ε, for what rounding takes
  private val promised = epsilon * (1 - 1e-6)
  private val share = math.sqrt((1 + promised) / (1 - promised)) - 1
  private val magnitudes = 2 * promised

  def mostAround(after: Long): Long = if (after < 2) 0L else (share * (after - 1).toDouble).toLong

  /** Beside their counts. */
  def allows(around: Sums, after: Sums): Boolean =
    (around.specials & ~after.specials) == 0 &&
      (after.specials != 0 || (hasFewMagnitudes(around, after) && isNear(around, after)))

  private def hasFewMagnitudes(around: Sums, after: Sums): Boolean =
    !(after.magnitudeHigh <= Double.MaxValue) ||
      around.magnitudeHigh <= magnitudes * after.magnitudeLow

  /** c·Σ(x − μ)² over A, less the same over R, is a parabola in μ: this is its least value. */
  private def isNear(around: Sums, after: Sums): Boolean = !after.hasSpread || {
    val n = around.count.toDouble
    val weight = share * after.count.toDouble
    val apart = distance(around, after)
    weight > n && around.spreadHigh + apart * apart * n * (weight / (weight - n)) <=
      share * (after.spreadLow + after.count.toDouble * Allowance.LeastVariance)
  }

  /** The most that the means are apart. */
  private def distance(a: Sums, b: Sums): Double = {
    import Directed._
    val (n, m) = (a.count.toDouble, b.count.toDouble)
    val high = (addUp(a.anchor, -b.anchor) + a.distanceHigh / n) - b.distanceLow / m
    val low = (addDown(a.anchor, -b.anchor) + a.distanceLow / n) - b.distanceHigh / m
    val most = math.max(math.abs(high), math.abs(low))
    // rounding is in what the promise leaves, but where both means are far from 0 and near each other
    most + (math.abs(a.distanceHigh / n) + math.abs(b.distanceHigh / m)) * 1e-15
  }
}

private object Allowance {

  /** So little does not count. */
  private val LeastVariance = 1e-300
}
