package chronosketch.spark.sliding

import java.util.Arrays

/** Which rows does each row see? Turns the definition of a frame into the first row that is in it and the first that no longer
  * is; what is made of the rows knows no SQL.
  *
  * Guarantee  the rows that Spark's own frames have: bounds move forward only, a frame that ends before it begins is empty, and a
  *            bound is evaluated only where there is a row to compare it with
  * Cost       O(1) a row amortised
  *
  * Works on the rows that are there, of which the last group may have more to come: a row waits until its frame is settled.
  */
final class FrameDriver(bounds: FrameBounds, nullsFirst: Boolean) {
  private val lower = FrameDriver.kind(bounds.lower)
  private val upper = FrameDriver.kind(bounds.upper)
  private val rowsBack = FrameDriver.rows(bounds.lower)
  private val rowsOn = FrameDriver.rows(bounds.upper)
  private val lowest = FrameDriver.moved(bounds.lower)
  private val highest = FrameDriver.moved(bounds.upper)

  /** Of each settled row: where its frame begins, and where it has ended. */
  var from, until = new Array[Int](0)

  /** Rows before this one are settled. */
  var settled = 0
  private var left, right = 0
  private var order: Array[Long] = _
  private var flags: Array[Long] = _

  /** The first row that this row or a later one may see. */
  def needed(row: Int): Int = if (row < settled) from(row) else left

  /** Where the frame of this row ends, as far as that is known. */
  def reached(row: Int): Int = if (row < settled) until(row) else right

  /** Nothing is settled, and the first row begins a group. */
  def restart(): Unit = {
    settled = 0
    left = 0
    right = 0
  }

  def resize(rows: Int): Unit = {
    from = Arrays.copyOf(from, rows)
    until = Arrays.copyOf(until, rows)
  }

  /** So many rows are dropped in front. */
  def shift(rows: Int): Unit = {
    val kept = settled - rows
    if (kept > 0) {
      var i = 0
      while (i < kept) {
        from(i) = from(i + rows) - rows
        until(i) = until(i + rows) - rows
        i += 1
      }
    }
    settled -= rows
    left -= rows
    right -= rows
  }

  /** Settles what can be settled of the rows until `filled`, of which groups end at `ends`, those new from `firstEnd` on. */
  def run(
      order: Array[Long],
      flags: Array[Long],
      ends: Array[Int],
      firstEnd: Int,
      endCount: Int,
      filled: Int
  ): Unit = {
    this.order = order
    this.flags = flags
    var e = firstEnd
    while (e < endCount) {
      settle(ends(e), isWhole = true)
      left = ends(e)
      right = left
      e += 1
    }
    if (settled < filled) settle(filled, isWhole = false)
  }

  private def settle(end: Int, isWhole: Boolean): Unit = {
    var row = settled
    while (row < end && moveUpper(row, end, isWhole)) {
      moveLower(row)
      from(row) = left
      until(row) = right
      row += 1
    }
    settled = row
  }

  /** Whether it is certain where the row's frame ends. */
  private def moveUpper(row: Int, end: Int, isWhole: Boolean): Boolean = {
    var at = right
    if (upper == FrameDriver.Rows) {
      val until = row + 1L + rowsOn
      if (until > end && !isWhole) return false
      right = math.max(at.toLong, math.min(until, end.toLong)).toInt
      return true
    }
    if (upper == FrameDriver.End) at = end
    else if (upper == FrameDriver.SamePlace) {
      at = math.max(at, row + 1)
      while (at < end && isPeer(at, row)) at += 1
    } else if (isNull(row)) {
      if (!nullsFirst) at = end
      else while (at < end && isNull(at)) at += 1
    } else if (at < end) {
      val bound = highest.of(order(row))
      while (at < end && !isAbove(at, bound)) at += 1
    }
    right = at
    at < end || isWhole
  }

  private def moveLower(row: Int): Unit = {
    var at = left
    if (lower == FrameDriver.Rows) {
      left = math.max(at.toLong, math.min(row.toLong + rowsBack, right.toLong)).toInt
      return
    }
    if (lower == FrameDriver.SamePlace) while (at < right && at < row && !isPeer(at, row)) at += 1
    else if (lower == FrameDriver.Moved) {
      if (isNull(row)) {
        if (!nullsFirst) while (at < right && !isNull(at)) at += 1
      } else if (at < right) {
        val bound = lowest.of(order(row))
        while (at < right && isBelow(at, bound)) at += 1
      }
    }
    left = at
  }

  private def isNull(row: Int): Boolean = (flags(row) & 1L) != 0L
  private def isPeer(a: Int, b: Int): Boolean = order(a) == order(b) && ((flags(a) ^ flags(b)) & 1L) == 0L
  private def isAbove(row: Int, key: Long): Boolean = if (isNull(row)) !nullsFirst else order(row) > key
  private def isBelow(row: Int, key: Long): Boolean = if (isNull(row)) nullsFirst else order(row) < key
}

private object FrameDriver {
  final val End = 0
  final val Rows = 1
  final val SamePlace = 2
  final val Moved = 3

  def kind(bound: FrameBound): Int = bound match {
    case PartitionEnd => End
    case _: RowsAway => Rows
    case Peers => SamePlace
    case _: KeyAway => Moved
  }

  def rows(bound: FrameBound): Int = bound match {
    case RowsAway(offset) => offset
    case _ => 0
  }

  def moved(bound: FrameBound): MovedKey = bound match {
    case key: KeyAway => new MovedKey(key)
    case _ => null
  }
}
