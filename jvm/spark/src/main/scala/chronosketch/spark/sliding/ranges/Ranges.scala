package chronosketch.spark.sliding.ranges

import java.util.Arrays

import chronosketch.rank.RankProfile

/** Divides ordered rows into ranges of keys. Each range has a halo: the rows before and after it that are in its frames.
  *
  * Guarantee  rows of one key are in one range. A range and its halo are adjacent, and together contain every row that is in a frame of
  *            the range, as long as the input still has the rows that were counted
  * Cost       O(log ranges) to find the range of a key; O(1) to check that it is in the same range as the key before
  *
  * @param last the last key of each range
  * @param from the first key in the frames of each range
  * @param to   the last key in the frames of each range
  */
final class Ranges(val last: Array[Long], val from: Array[Long], val to: Array[Long]) extends Serializable {
  def count: Int = last.length

  /** The range of a key. */
  def rangeOf(key: Long): Int = {
    val i = Arrays.binarySearch(last, key)
    if (i >= 0) i else -i - 1
  }

  def contains(range: Int, key: Long): Boolean = key <= last(range) && (range == 0 || key > last(range - 1))

  /** Whether there may be rows before a range and its halo. */
  def isCutBefore(range: Int): Boolean = from(range) != Long.MinValue

  /** Whether there may be rows after a range and its halo. */
  def isCutAfter(range: Int): Boolean = to(range) != Long.MaxValue
}

object Ranges {

  /** A range with fewer rows is not worth a task. */
  val FewestRows: Long = 1L << 18

  /** Halos have at most one row in this many. */
  private val HaloShare = 4

  /** The rank error allowed. Halos of ROWS frames are larger than needed by up to twice this fraction of all rows. */
  val RankError: Double = 1.0 / 4096

  /** Cuts rows by the certain bounds on the ranks of their keys. */
  def of(profile: RankProfile, cut: RangeCut): Ranges = {
    val cutter = new Cutter(profile, cut.reach)
    val rows = profile.countHigh
    if (cut.isForced) cutter.ranges(cut.most)
    else {
      var ranges = cutter.ranges(math.max(1L, math.min(cut.most.toLong, rows / FewestRows)).toInt)
      while (ranges.count > 1 && cutter.haloRows(ranges) > rows / HaloShare)
        ranges = cutter.ranges(ranges.count / 2)
      ranges
    }
  }

  private final class Cutter(profile: RankProfile, reach: HaloReach) {
    private val lowers = reach.lowers.map(new HaloReach.FrameEnd(_, Long.MinValue))
    private val uppers = reach.uppers.map(new HaloReach.FrameEnd(_, Long.MaxValue))

    def ranges(most: Int): Ranges = {
      val ends = endPositions(most)
      val count = ends.length + 1
      val last = Array.tabulate(count)(r => if (r < ends.length) profile.key(ends(r)) else Long.MaxValue)
      val from = Array.tabulate(count)(r => if (r == 0) Long.MinValue else firstReached(ends(r - 1)))
      val to = Array.tabulate(count)(r => if (r == count - 1) Long.MaxValue else lastReached(ends(r)))
      // RangeRouter searches neighbours and stops at the first range that the key doesn't reach, so ends must not decrease
      var r = count - 2
      while (r >= 0) { from(r) = math.min(from(r), from(r + 1)); r -= 1 }
      r = 1
      while (r < count) { to(r) = math.max(to(r), to(r - 1)); r += 1 }
      new Ranges(last, from, to)
    }

    /** The positions of the last keys of ranges with about equal numbers of rows, except for the last range. */
    private def endPositions(most: Int): Array[Int] = {
      val rows = profile.countHigh.toDouble
      val ends = Array.newBuilder[Int]
      var before = -1
      var r = 1
      while (r < most && before < profile.size - 1) {
        val wanted = rows * r / most
        val position = first(before, profile.size - 1)(profile.rank(_) >= wanted)
        if (position > before && position < profile.size - 1) {
          ends += position
          before = position
        }
        r += 1
      }
      ends.result()
    }

    /** The first key in the frames of rows whose keys are after position `end`. */
    private def firstReached(end: Int): Long = {
      val key = profile.key(end)
      val certain = profile.rankBounds(end)._1
      val byRows =
        if (reach.rowsBefore == 0) key + 1
        else {
          val tooNear = first(-1, end)(i => certain - profile.rankBounds(i)._2 < reach.rowsBefore)
          if (tooNear == 0) Long.MinValue else profile.key(tooNear - 1) + 1
        }
      lowers.map(_.endFor(key)).foldLeft(byRows)(math.min)
    }

    /** The last key in the frames of rows whose keys are up to position `end`. */
    private def lastReached(end: Int): Long = {
      val key = profile.key(end)
      val atMost = profile.rankBounds(end)._2
      val byRows =
        if (reach.rowsAfter == 0) key
        else {
          val enough = first(end, profile.size)(i => profile.rankBounds(i)._1 - atMost >= reach.rowsAfter)
          if (enough == profile.size) Long.MaxValue else profile.key(enough)
        }
      uppers.map(_.endFor(key)).foldLeft(byRows)(math.max)
    }

    /** The first position after `low` at which a condition holds, `high` if there is none before. Once true, it must stay true. */
    private def first(low: Int, high: Int)(condition: Int => Boolean): Int = {
      var (a, b) = (low + 1, high)
      while (a < b) {
        val mid = (a + b) >>> 1
        if (condition(mid)) b = mid else a = mid + 1
      }
      a
    }

    /** The approximate number of rows in all halos. */
    def haloRows(ranges: Ranges): Long = {
      def until(key: Long): Long = profile.rank(profile.position(key))
      var rows = 0L
      var r = 0
      while (r < ranges.count) {
        if (r > 0)
          rows += until(ranges.last(r - 1)) - (if (ranges.isCutBefore(r)) until(ranges.from(r) - 1) else 0L)
        rows += until(ranges.to(r)) - until(ranges.last(r))
        r += 1
      }
      rows
    }
  }
}

/** Tells how to cut rows into ranges.
  *
  * @param most     the largest number of ranges
  * @param isForced whether to make this many ranges even if rows are few or halos are large
  */
final case class RangeCut(reach: HaloReach, most: Int, isForced: Boolean) {
  def text: String = s"${if (isForced) "" else "up to "}$most"
}
