package chronosketch.window.moments

import chronosketch.bucketing.{BucketList, BucketPolicy, RowBlock}
import chronosketch.domain.Domain

/** Stores the sums of a bucket's elements and of their squared distances.
  *
  * Guarantee  as [[Allowance]] states for the elements that straddle a position
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

/** Decides which elements may straddle a position, given the elements after it.
  *
  * Guarantee  let R be the elements that straddle, A those after, and c = √((1 + ε)/(1 − ε)) − 1. R has at most c·(count of A −
  *            1) elements, its magnitudes add up to at most 2ε times those of A, and Σ(x − μ)² over R is at most c·Σ((x − μ)² +
  *            10⁻³⁰⁰) over A, for any μ. R contains NaN and infinities only if A does, and then only counts matter. If the
  *            squares or the magnitudes of A overflow, R is not limited by them
  * Merge      unions, and further elements in A, preserve all of this
  * Source     docs/algorithms.md, Moments of windows
  */
private[moments] final case class Allowance(epsilon: Double) {
  // slightly less than ε, to allow for rounding
  private val promised = epsilon * (1 - 1e-6)
  private val share = math.sqrt((1 + promised) / (1 - promised)) - 1
  private val magnitudes = 2 * promised

  def mostAround(after: Long): Long = if (after < 2) 0L else (share * (after - 1).toDouble).toLong

  /** Checks everything except the counts. */
  def allows(around: Sums, after: Sums): Boolean =
    (around.specials & ~after.specials) == 0 &&
      (after.specials != 0 || (hasFewMagnitudes(around, after) && isNear(around, after)))

  private def hasFewMagnitudes(around: Sums, after: Sums): Boolean =
    !(after.magnitudeHigh <= Double.MaxValue) ||
      around.magnitudeHigh <= magnitudes * after.magnitudeLow

  /** Checks the squares. c·Σ(x − μ)² over A minus the same sum over R is a parabola in μ; its minimum must not be negative. */
  private def isNear(around: Sums, after: Sums): Boolean = !after.hasSpread || {
    val n = around.count.toDouble
    val weight = share * after.count.toDouble
    val distanceOfMeans = maxDistance(around, after)
    weight > n && around.spreadHigh + distanceOfMeans * distanceOfMeans * n * (weight / (weight - n)) <=
      share * (after.spreadLow + after.count.toDouble * Allowance.LeastVariance)
  }

  /** Largest possible distance between the means. */
  private def maxDistance(a: Sums, b: Sums): Double = {
    import DirectedRounding._
    val (n, m) = (a.count.toDouble, b.count.toDouble)
    val high = (addUp(a.anchor, -b.anchor) + a.distanceHigh / n) - b.distanceLow / m
    val low = (addDown(a.anchor, -b.anchor) + a.distanceLow / n) - b.distanceHigh / m
    val most = math.max(math.abs(high), math.abs(low))
    // the margin of the guarantee covers rounding, except if both means are far from 0 and close to each other
    most + (math.abs(a.distanceHigh / n) + math.abs(b.distanceHigh / m)) * 1e-15
  }
}

private object Allowance {

  /** Variances below this are ignored. */
  private val LeastVariance = 1e-300
}
