package chronosketch.bucketing

import chronosketch.codec.SplitMix64

/** The grid of cells that determines where buckets begin and end.
  *
  * Guarantee  two cells are nested or disjoint, also if they come from different sketches: the grid is the same in all, and fixed for ever
  * Cost       a few shifts
  * Units      a position is (time, tie), ordered by time and then by tie, 128 bits in all. A cell of level l consists of the positions
  *            that differ in their last l bits alone: one position at level 0, all at level 128. A cell is given by its level and its
  *            first position
  */
private[chronosketch] object Grid {
  final val Everything = 128
  final val OneTime = 64

  /** The level of the smallest cell that contains both positions. */
  def common(timeA: Long, tieA: Long, timeB: Long, tieB: Long): Int =
    if (timeA == timeB) OneTime - java.lang.Long.numberOfLeadingZeros(tieA ^ tieB)
    else Everything - java.lang.Long.numberOfLeadingZeros(timeA ^ timeB)

  // the first position of the cell that contains this one
  def firstTime(time: Long, level: Int): Long = floor(time, level - OneTime)
  def firstTie(tie: Long, level: Int): Long = floor(tie, level)

  // the last position of that cell
  def lastTime(time: Long, level: Int): Long = ceiling(time, level - OneTime)
  def lastTie(tie: Long, level: Int): Long = ceiling(tie, level)

  // the first position of a cell's second half, given the cell's first position; level > 0
  def middleTime(time: Long, level: Int): Long = if (level > OneTime) time ^ (1L << (level - 1)) else time
  def middleTie(tie: Long, level: Int): Long = if (level > OneTime) tie else tie ^ (1L << (level - 1))

  def isBefore(timeA: Long, tieA: Long, timeB: Long, tieB: Long): Boolean =
    timeA < timeB || (timeA == timeB && tieA < tieB)

  private def floor(number: Long, bits: Int): Long =
    if (bits <= 0) number else if (bits >= 64) Long.MinValue else number & (-1L << bits)

  private def ceiling(number: Long, bits: Int): Long =
    if (bits <= 0) number else if (bits >= 64) Long.MaxValue else number | ~(-1L << bits)
}

/** Orders rows of equal time by a hash of their keys, the tie.
  *
  * Guarantee  a bijection of 64 bits: equal keys have equal ties, and the key can be recovered from the tie. The order of ties is unrelated
  *            to that of the values, so that a window whose edge divides the rows of one time is not biased
  * Cost       two multiplications
  * Units      ties are compared as signed numbers
  * Merge      fixed for ever: stored bytes depend on it through the grid
  * Source     Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, §4 (variant 13 of Stafford);
  *            differs: a constant is added first, because 0 would stay 0
  */
object Tie {
  def of(key: Long): Long = SplitMix64.mix(key)
  def key(tie: Long): Long = SplitMix64.unmix(tie)
}

/** Finds the smallest grid cell that encloses a range of buckets and rows, and counts its elements. Buckets and rows are sorted.
  *
  * Cost  O(1), after one pass over the buckets
  */
private[chronosketch] final class EnclosingCell(buckets: BucketList, rows: RowBlock) {

  // the cell found last, which begins at (time, tie)
  var level = 0
  var time, tie = 0L

  // elements in the buckets before bucket i
  private val before: Array[Long] = new Array[Long](buckets.size + 1)
  locally {
    var i = 0
    while (i < buckets.size) { before(i + 1) = before(i) + buckets.counts(i); i += 1 }
  }

  /** Number of elements in buckets [b0, b1) and rows [r0, r1). */
  def count(b0: Int, b1: Int, r0: Int, r1: Int): Long = before(b1) - before(b0) + (r1 - r0)

  /** Sets `level`, `time` and `tie` to the smallest cell around buckets [b0, b1) and rows [r0, r1), which must not both be empty. */
  def enclose(b0: Int, b1: Int, r0: Int, r1: Int): Unit = {
    val times = rows.times
    val isRowFirst = b0 == b1 || (r0 < r1 &&
      isBefore(times(r0), r0, buckets.times(b0), buckets.ties(b0)))
    val firstTime = if (isRowFirst) times(r0) else buckets.times(b0)
    val isRowLast = b0 == b1 || (r0 < r1 &&
      !isBefore(times(r1 - 1), r1 - 1, buckets.times(b1 - 1), buckets.ties(b1 - 1)))
    val lastTime = if (isRowLast) times(r1 - 1) else buckets.times(b1 - 1)
    if (firstTime != lastTime || (b0 < b1 && buckets.level(b0) > Grid.OneTime)) {
      // the cell spans more than one time, so ties do not matter
      val apart = Grid.common(firstTime, 0L, lastTime, 0L)
      level = if (b0 < b1) math.max(apart, buckets.level(b0)) else apart
      tie = Grid.firstTie(0L, level)
    } else {
      val firstTie = if (isRowFirst) rows.tie(r0) else buckets.ties(b0)
      val lastTie = if (isRowLast) rows.tie(r1 - 1) else buckets.ties(b1 - 1)
      val apart = Grid.common(firstTime, firstTie, lastTime, lastTie)
      level = if (b0 < b1) math.max(apart, buckets.level(b0)) else apart
      tie = Grid.firstTie(firstTie, level)
    }
    time = Grid.firstTime(firstTime, level)
  }

  /** Whether a row with this time comes before a position. */
  private def isBefore(rowTime: Long, row: Int, time: Long, tie: Long): Boolean =
    rowTime < time || (rowTime == time && rows.tie(row) < tie)
}
