package chronosketch.window.moments

import java.lang.Double.isFinite

import chronosketch.bucketing.{BucketList, BucketPolicy, EnclosingCell, Grid, RowBlock, Tie}
import chronosketch.domain.Domain

/** Merges buckets and new rows into as few buckets as the allowance permits.
  *
  * Guarantee  if [[Allowance]] held for the elements in buckets that straddle a position, for every position, it still holds
  * Cost       one addition to [[Sums]] per row, and another for each cell that contains the row, has few rows and still may not
  *            be merged
  * Units      rows are in order of position, one element each. From `fewestEstimated` rows on, plain sums refuse what is
  *            certainly too much, which changes no result
  * Source     docs/algorithms.md, Joining; here from the newest to the oldest, so that the sums after a position are known
  */
private[moments] final class MomentsJoining(
    buckets: BucketList,
    rows: RowBlock,
    domain: Domain,
    allowance: Allowance,
    fewestEstimated: Int = MomentsJoining.FewestEstimated
) {
  private val keys = rows.keys
  private val isFloating = domain.isFloating

  // newest first
  private val newBuckets = new BucketList(buckets.size + 16)
  private val after = new Sums

  private val cell = new EnclosingCell(buckets, rows)

  def result(): BucketList = {
    visit(0, buckets.size, 0, rows.size, new Sums)
    val inOrder = new BucketList(newBuckets.size)
    var i = newBuckets.size - 1
    while (i >= 0) { inOrder.add(newBuckets, i); i -= 1 }
    inOrder
  }

  private def keep(i: Int): Unit = {
    newBuckets.add(buckets, i)
    if (buckets.level(i) == 0) after.add(Tie.key(buckets.ties(i)), buckets.counts(i), isFloating)
    else after.add(Sums.of(buckets.contents(i)))
  }

  /** Merges a range of buckets and rows. `around` are the sums of the buckets whose cells enclose this one. */
  private def visit(b0: Int, b1: Int, r0: Int, r1: Int, around: Sums): Unit =
    if (r0 == r1 && b1 - b0 <= 1) { if (b0 < b1) keep(b0) }
    else {
      cell.enclose(b0, b1, r0, r1)
      val level = cell.level
      val time = cell.time
      val tie = cell.tie
      val count = cell.count(b0, b1, r0, r1)
      if (level == 0) {
        newBuckets.add(time, tie, 0, count, null)
        after.add(Tie.key(tie), count, isFloating)
      } else {
        val whole =
          if (around.count + count <= allowance.mostAround(after.count)) sumsIfAllowed(b0, b1, r0, r1, around)
          else null
        if (whole != null) {
          newBuckets.add(time, tie, level, count, whole)
          after.add(whole)
        } else halve(b0, b1, r0, r1, around, level, time, tie)
      }
    }

  private def halve(
      b0: Int,
      b1: Int,
      r0: Int,
      r1: Int,
      around: Sums,
      level: Int,
      time: Long,
      tie: Long
  ): Unit = {
    val isOwn = b0 < b1 && buckets.level(b0) == level
    val b = if (isOwn) b0 + 1 else b0
    val aroundHalves = if (isOwn) plus(around, Sums.of(buckets.contents(b0))) else around
    val middleTime = Grid.middleTime(time, level)
    val middleTie = Grid.middleTie(tie, level)
    val bm = buckets.firstFrom(b, b1, middleTime, middleTie)
    val rm = rows.firstFrom(r0, r1, middleTime, middleTie)
    visit(bm, b1, rm, r1, aroundHalves)
    visit(b, bm, r0, rm, aroundHalves)
    if (isOwn) keep(b0)
  }

  private def plus(a: Sums, b: Sums): Sums = {
    val both = a.copy
    both.add(b)
    both
  }

  /** The sums of everything in a cell if it may be one bucket; otherwise null. */
  private def sumsIfAllowed(b0: Int, b1: Int, r0: Int, r1: Int, around: Sums): Sums =
    if (r1 - r0 >= fewestEstimated && doRowsExceed(r0, r1)) null
    else {
      val whole = sumAll(b0, b1, r0, r1)
      if (allowance.allows(if (around.count == 0) whole else plus(around, whole), after)) whole else null
    }

  /** Whether these rows alone are certainly too much for a bucket. Plain sums show that in a tenth of the time of certain ones. */
  private def doRowsExceed(r0: Int, r1: Int): Boolean = after.specials == 0 && {
    var sum = 0.0
    var magnitude = 0.0
    var i = r0
    while (i < r1) {
      val value = Sums.high(keys(i), isFloating)
      sum += value
      magnitude += math.abs(value)
      i += 1
    }
    val n = (r1 - r0).toDouble
    val mean = sum / n
    var square = 0.0
    i = r0
    while (i < r1) {
      val distance = Sums.high(keys(i), isFloating) - mean
      square += distance * distance
      i += 1
    }
    // beyond 2⁵³ the doubles of whole numbers may be further apart than the numbers
    (isFloating || magnitude <= MomentsJoining.MostExact) &&
    allowance.isExceededBy(n, magnitude, mean, square, after)
  }

  private def sumAll(b0: Int, b1: Int, r0: Int, r1: Int): Sums = {
    val whole = new Sums
    whole.anchor = anchor(b0, b1, r0, r1)
    var i = b0
    while (i < b1) {
      if (buckets.level(i) == 0) add(whole, Tie.key(buckets.ties(i)), buckets.counts(i))
      else whole.addNear(Sums.of(buckets.contents(i)))
      i += 1
    }
    if (r1 - r0 < MomentsJoining.FewestAtOnce || !whole.addRows(keys, r0, r1, isFloating)) {
      i = r0
      while (i < r1) { add(whole, keys(i), 1L); i += 1 }
    }
    whole.recentre()
    whole
  }

  private def add(whole: Sums, key: Long, copies: Long): Unit = {
    val high = Sums.high(key, isFloating)
    if (isFinite(high)) whole.addNear(high, Sums.low(key, high, isFloating), copies)
    else {
      whole.count += copies
      whole.markSpecial(Sums.specialBit(high))
    }
  }

  /** A double near the mean, and a whole number if the values are whole numbers. */
  private def anchor(b0: Int, b1: Int, r0: Int, r1: Int): Double = {
    var least = Double.PositiveInfinity
    var most = Double.NegativeInfinity
    var sum = 0.0
    var n = 0.0
    var i = b0
    while (i < b1) {
      val isAtom = buckets.level(i) == 0
      val value =
        if (isAtom) Sums.high(Tie.key(buckets.ties(i)), isFloating) else Sums.of(buckets.contents(i)).mean
      if (isFinite(value)) {
        least = math.min(least, value)
        most = math.max(most, value)
        sum += value * buckets.counts(i).toDouble
        n += buckets.counts(i).toDouble
      }
      i += 1
    }
    i = r0
    while (i < r1) {
      val value = Sums.high(keys(i), isFloating)
      if (isFinite(value)) {
        least = math.min(least, value)
        most = math.max(most, value)
        sum += value
        n += 1.0
      }
      i += 1
    }
    if (n == 0) 0.0
    else {
      val mean = sum / n
      val within = if (isFinite(mean)) math.max(least, math.min(most, mean)) else least
      if (isFloating) within else math.rint(within)
    }
  }
}

private[moments] object MomentsJoining {

  /** Fewer rows are summed at once. */
  val FewestEstimated = 8

  /** Fewer rows are added to sums one by one. */
  val FewestAtOnce = 4

  private val MostExact = math.scalb(1.0, 53)
}

/** Stores the sums of a bucket's elements and of their squared distances.
  *
  * Guarantee  as [[Allowance]] states for the elements that straddle a position
  * Cost       that of [[MomentsJoining]]
  */
private[moments] object MomentBuckets extends BucketPolicy {
  def join(buckets: BucketList, block: RowBlock, domain: Domain, epsilon: Double): BucketList =
    new MomentsJoining(buckets, block, domain, Allowance(epsilon)).result()

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

  /** Whether some elements are certainly too many, so that [[allows]] refuses them and all sets that contain them.
    *
    * @param n         how many they are, at least 2
    * @param magnitude the sum of their magnitudes, added up in plain doubles
    * @param mean      their approximate mean, `square` the sum of their squared distances from it, in plain doubles
    */
  def isExceededBy(n: Double, magnitude: Double, mean: Double, square: Double, after: Sums): Boolean =
    magnitude <= Double.MaxValue && square <= Double.MaxValue && after.specials == 0 && {
      // n plain additions and divisions are off by less than these shares, for any n below 10⁶
      val less = 1 - 1e-9
      val more = 1 + 1e-9
      (after.magnitudeHigh <= Double.MaxValue && magnitude * less > magnitudes * after.magnitudeLow * more) ||
      (after.hasSpread && {
        val meanError = 4e-16 * magnitude
        val weight = share * after.count.toDouble
        val afterError = (after.distanceHigh - after.distanceLow) / after.count.toDouble +
          1e-15 * (math.abs(after.anchor) + math.abs(after.mean) + math.abs(mean))
        val distance = math.max(0.0, math.abs(mean - after.mean) * less - meanError - afterError)
        val spread = square * less - n * meanError * meanError
        weight > n && spread + distance * distance * n * (weight / (weight - n)) * less >
          share * (after.spreadHigh + after.count.toDouble * Allowance.LeastVariance) * more
      })
    }

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
