package chronosketch.spark.sliding

import java.util.Arrays

/** Which rows does each row see? What [[FrameDriver]] is, of the rows of one group in a log.
  *
  * Memory  three chunks of the log
  */
final class FarFrames(bounds: FrameBounds, nullsFirst: Boolean, log: RowLog) {
  private val lower = FrameDriver.kind(bounds.lower)
  private val upper = FrameDriver.kind(bounds.upper)
  private val rowsBack = FrameDriver.rows(bounds.lower)
  private val rowsOn = FrameDriver.rows(bounds.upper)
  private val lowest = FrameDriver.moved(bounds.lower)
  private val highest = FrameDriver.moved(bounds.upper)

  private val own, lefts, rights = new RowCursor(log)
  private var left, right = 0L

  /** Of each row from `first` on that is settled: where its frame begins, and where it has ended. */
  var from, until = new Array[Long](0)
  private var first = 0L
  private var settled = 0

  /** The first row that this row or a later one may see. */
  def needed: Long = if (settled > 0) from(0) else left

  /** In another group, whose first row to be settled sees what is from `left` until `right`, or more. */
  def begin(row: Long, left: Long, right: Long): Unit = {
    first = row
    settled = 0
    this.left = left
    this.right = right
    own.reset()
    lefts.reset()
    rights.reset()
  }

  /** So many rows are answered. */
  def pass(rows: Int): Unit = {
    System.arraycopy(from, rows, from, 0, settled - rows)
    System.arraycopy(until, rows, until, 0, settled - rows)
    settled -= rows
    first += rows
  }

  /** How many rows are settled, of so many, where the group is whole or may have more to come. */
  def settle(wanted: Int, isWhole: Boolean): Int = {
    if (from.length < wanted) {
      from = Arrays.copyOf(from, wanted)
      until = Arrays.copyOf(until, wanted)
    }
    while (settled < wanted && first + settled < log.size && moveUpper(first + settled, log.size, isWhole)) {
      moveLower(first + settled)
      from(settled) = left
      until(settled) = right
      settled += 1
    }
    settled
  }

  private def moveUpper(row: Long, end: Long, isWhole: Boolean): Boolean = {
    var at = right
    if (upper == FrameDriver.Rows) {
      val stop = row + 1L + rowsOn
      if (stop > end && !isWhole) return false
      right = math.max(at, math.min(stop, end))
      return true
    }
    if (upper == FrameDriver.End) at = end
    else if (upper == FrameDriver.SamePlace) {
      at = math.max(at, row + 1)
      while (at < end && isPeer(rights, at, row)) at += 1
    } else if (isNull(own, row)) {
      if (!nullsFirst) at = end
      else while (at < end && isNull(rights, at)) at += 1
    } else if (at < end) {
      val bound = highest.of(own.word(row, 0))
      while (at < end && !isAbove(at, bound)) at += 1
    }
    right = at
    at < end || isWhole
  }

  private def moveLower(row: Long): Unit = {
    var at = left
    if (lower == FrameDriver.Rows) {
      left = math.max(at, math.min(row + rowsBack, right))
      return
    }
    if (lower == FrameDriver.SamePlace) while (at < right && at < row && !isPeer(lefts, at, row)) at += 1
    else if (lower == FrameDriver.Moved) {
      if (isNull(own, row)) {
        if (!nullsFirst) while (at < right && !isNull(lefts, at)) at += 1
      } else if (at < right) {
        val bound = lowest.of(own.word(row, 0))
        while (at < right && isBelow(at, bound)) at += 1
      }
    }
    left = at
  }

  private def isNull(cursor: RowCursor, row: Long): Boolean = (cursor.word(row, 1) & 1L) != 0L
  private def isPeer(cursor: RowCursor, a: Long, row: Long): Boolean =
    cursor.word(a, 0) == own.word(row, 0) && ((cursor.word(a, 1) ^ own.word(row, 1)) & 1L) == 0L
  private def isAbove(row: Long, key: Long): Boolean =
    if (isNull(rights, row)) !nullsFirst else rights.word(row, 0) > key
  private def isBelow(row: Long, key: Long): Boolean =
    if (isNull(lefts, row)) nullsFirst else lefts.word(row, 0) < key
}
