package chronosketch.window.moments

import java.lang.Double.isFinite

import chronosketch.bucketing.{BucketList, EnclosingCell, Grid, RowBlock, Tie}
import chronosketch.domain.Domain

/** How few buckets are enough, given those there are and rows that came?
  *
  * Guarantee  if the elements in buckets that straddle a position were as [[Allowance]] has it, for every position, they still are
  * Cost       an addition to [[Sums]] a row, and as often again as it stands in a cell that has few rows and may still not be joined
  * Units      rows stand in order of position, one element each
  * Merge      union first, then this
  * Source     docs/algorithms.md, Joining; here from the newest to the oldest, so that what comes after is known
  */
private[moments] final class MomentsJoining(
    buckets: BucketList,
    rows: RowBlock,
    domain: Domain,
    allowance: Allowance
) {
  private val keys = rows.keys
  private val isFloating = domain.isFloating

  // the newest first
  private val joined = new BucketList(buckets.size + 16)
  private val after = new Sums

  private val cell = new EnclosingCell(buckets, rows)

  def result(): BucketList = {
    visit(0, buckets.size, 0, rows.size, new Sums)
    val inOrder = new BucketList(joined.size)
    var i = joined.size - 1
    while (i >= 0) { inOrder.add(joined, i); i -= 1 }
    inOrder
  }

  private def keep(i: Int): Unit = {
    joined.add(buckets, i)
    if (buckets.level(i) == 0) after.add(Tie.key(buckets.ties(i)), buckets.counts(i), isFloating)
    else after.add(Sums.of(buckets.contents(i)))
  }

  /** `around`: of the buckets whose cells have this one inside. */
  private def visit(b0: Int, b1: Int, r0: Int, r1: Int, around: Sums): Unit =
    if (r0 == r1 && b1 - b0 <= 1) { if (b0 < b1) keep(b0) }
    else {
      cell.enclose(b0, b1, r0, r1)
      val level = cell.level
      val time = cell.time
      val tie = cell.tie
      val count = cell.count(b0, b1, r0, r1)
      if (level == 0) {
        joined.add(time, tie, 0, count, null)
        after.add(Tie.key(tie), count, isFloating)
      } else {
        val whole =
          if (around.count + count <= allowance.mostAround(after.count)) allowed(b0, b1, r0, r1, around)
          else null
        if (whole != null) {
          joined.add(time, tie, level, count, whole)
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

  /** The sums of all that lies in a cell, where they may be one bucket; else null. */
  private def allowed(b0: Int, b1: Int, r0: Int, r1: Int, around: Sums): Sums = {
    val whole = gathered(b0, b1, r0, r1)
    if (allowance.allows(if (around.count == 0) whole else plus(around, whole), after)) whole else null
  }

  private def gathered(b0: Int, b1: Int, r0: Int, r1: Int): Sums = {
    val whole = new Sums
    whole.anchor = anchor(b0, b1, r0, r1)
    var i = b0
    while (i < b1) {
      if (buckets.level(i) == 0) add(whole, Tie.key(buckets.ties(i)), buckets.counts(i))
      else whole.addNear(Sums.of(buckets.contents(i)))
      i += 1
    }
    i = r0
    while (i < r1) { add(whole, keys(i), 1L); i += 1 }
    whole.settle()
    whole
  }

  private def add(whole: Sums, key: Long, copies: Long): Unit = {
    val high = Sums.high(key, isFloating)
    if (isFinite(high)) whole.addNear(high, Sums.low(key, high, isFloating), copies)
    else {
      whole.count += copies
      whole.mark(Sums.special(high))
    }
  }

  /** A double near the mean, and a whole number where values are. */
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
