package chronosketch.spark.sliding.frames

import java.util.Arrays

/** Finds each row's frame: its first row, and the first row after it. Rows are in memory or on disk. The structures that
  * compute answers from frames don't depend on SQL.
  *
  * A frame is resolved once it can no longer change. Frames of the last partition may have to wait for more input. They are dropped
  * once their rows have answers.
  *
  * Guarantee  the same frames as Spark's. Both ends only move forward. A frame that ends before it begins is empty. A RANGE offset is
  *            added only if there is a row to compare the sum with
  * Cost       O(1) a row amortised
  * Memory     16 bytes for each resolved frame
  */
final class FrameDriver(bounds: FrameBounds, nullsFirst: Boolean, rows: ColumnSource) {
  private val lower = FrameDriver.kind(bounds.lower)
  private val upper = FrameDriver.kind(bounds.upper)
  private val lowerRows = FrameDriver.rows(bounds.lower)
  private val upperRows = FrameDriver.rows(bounds.upper)
  private val lowerOffset = FrameDriver.offset(bounds.lower)
  private val upperOffset = FrameDriver.offset(bounds.upper)

  // three cursors: at the row, at the first row of its frame, and at the first row after its frame
  private var current, lefts, rights = new ColumnCursor(rows)

  // the frame of each row from `first` until `next`
  private var froms, untils = new Array[Long](0)
  private var first, next = 0L

  private var partition = 0L
  private var left, right = 0L

  /** The first row of the frame of a row. It must be resolved and not yet dropped. */
  def from(row: Long): Long = froms((row - first).toInt)

  /** The first row after the frame of a row. It must be resolved and not yet dropped. */
  def until(row: Long): Long = untils((row - first).toInt)

  /** The first row whose frame is not resolved. */
  def firstUnresolved: Long = next

  /** The first row that the frame of this row or of a later one may contain. */
  def needed(row: Long): Long = if (row < next) from(row) else left

  /** Continues with rows of another source, from this row on.
    *
    * @param isFirst whether the row is the first of its partition. If not, its frame is kept if it is already known
    */
  def restart(rows: ColumnSource, row: Long, partition: Long, isFirst: Boolean): Unit = {
    if (isFirst) {
      left = row
      right = row
    } else if (row < next) {
      right = until(row)
      left = from(row)
    }
    current = new ColumnCursor(rows)
    lefts = new ColumnCursor(rows)
    rights = new ColumnCursor(rows)
    this.partition = partition
    first = row
    next = row
  }

  /** Makes room for at least n frames. */
  def reserve(length: Int): Unit = if (froms.length < length) resize(length)

  /** Makes room for exactly n frames. None may be resolved. */
  def resize(length: Int): Unit = {
    froms = Arrays.copyOf(froms, length)
    untils = Arrays.copyOf(untils, length)
  }

  /** Drops the frames of the rows before this one. */
  def dropBefore(row: Long): Unit = {
    val (dropped, size) = ((row - first).toInt, (next - row).toInt)
    System.arraycopy(froms, dropped, froms, 0, size)
    System.arraycopy(untils, dropped, untils, 0, size)
    first = row
  }

  /** Resolves as many frames of rows in memory as possible, partition after partition. */
  def resolveFrames(columns: FrameColumns): Unit = {
    refresh()
    while (partition < columns.partitions) {
      val end = columns.endOf(partition)
      run(end, end, isWhole = true)
      left = end
      right = end
      partition += 1
    }
    if (next < columns.end) run(columns.end, columns.end, isWhole = false)
  }

  /** Resolves frames of one partition.
    *
    * @param end     the end of the rows that have arrived
    * @param isWhole whether the partition ends there too
    * @param most    how many frames may be resolved and not yet dropped
    */
  def resolveFrames(end: Long, isWhole: Boolean, most: Int): Unit = {
    refresh()
    reserve(most)
    run(math.min(end, first + most), end, isWhole)
  }

  private def refresh(): Unit = {
    current.refresh()
    lefts.refresh()
    rights.refresh()
  }

  private def run(stop: Long, end: Long, isWhole: Boolean): Unit = {
    var row = next
    var at = (row - first).toInt
    while (row < stop && moveUpper(row, end, isWhole)) {
      moveLower(row)
      froms(at) = left
      untils(at) = right
      row += 1
      at += 1
    }
    next = row
  }

  /** Moves the upper end of the frame to this row's. Returns false if it may still move when more rows arrive. */
  private def moveUpper(row: Long, end: Long, isWhole: Boolean): Boolean = {
    var at = right
    if (upper == FrameDriver.ByRows) {
      val stop = row + 1L + upperRows
      if (stop > end && !isWhole) return false
      right = math.max(at, math.min(stop, end))
      return true
    }
    if (upper == FrameDriver.ByPartition) at = end
    else if (upper == FrameDriver.ByPeers) {
      at = math.max(at, row + 1)
      while (at < end && isPeer(rights, at, row)) at += 1
    } else if (current.isNull(row)) {
      if (!nullsFirst) at = end
      else while (at < end && rights.isNull(at)) at += 1
    } else if (at < end) {
      val bound = upperOffset.plus(current.order(row))
      while (at < end && !isAbove(at, bound)) at += 1
    }
    right = at
    at < end || isWhole
  }

  private def moveLower(row: Long): Unit = {
    var at = left
    if (lower == FrameDriver.ByRows) {
      left = math.max(at, math.min(row + lowerRows, right))
      return
    }
    if (lower == FrameDriver.ByPeers) while (at < right && at < row && !isPeer(lefts, at, row)) at += 1
    else if (lower == FrameDriver.ByOffset) {
      if (current.isNull(row)) {
        if (!nullsFirst) while (at < right && !lefts.isNull(at)) at += 1
      } else if (at < right) {
        val bound = lowerOffset.plus(current.order(row))
        while (at < right && isBelow(at, bound)) at += 1
      }
    }
    left = at
  }

  private def isPeer(cursor: ColumnCursor, other: Long, row: Long): Boolean =
    cursor.order(other) == current.order(row) && cursor.isNull(other) == current.isNull(row)
  private def isAbove(row: Long, key: Long): Boolean =
    if (rights.isNull(row)) !nullsFirst else rights.order(row) > key
  private def isBelow(row: Long, key: Long): Boolean =
    if (lefts.isNull(row)) nullsFirst else lefts.order(row) < key
}

private object FrameDriver {
  final val ByPartition = 0
  final val ByRows = 1
  final val ByPeers = 2
  final val ByOffset = 3

  def kind(bound: FrameBound): Int = bound match {
    case Unbounded => ByPartition
    case _: RowsBound => ByRows
    case Peers => ByPeers
    case _: RangeBound => ByOffset
  }

  def rows(bound: FrameBound): Int = bound match {
    case RowsBound(offset) => offset
    case _ => 0
  }

  def offset(bound: FrameBound): RangeOffset = bound match {
    case range: RangeBound => new RangeOffset(range)
    case _ => null
  }
}
