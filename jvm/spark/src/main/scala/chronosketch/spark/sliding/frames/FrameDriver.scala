package chronosketch.spark.sliding.frames

import java.util.Arrays

/** Finds each row's frame: the first row that is in it, and the first after it that no longer is. Rows are in memory or on disk; what
  * is made of a frame's rows knows no SQL.
  *
  * Guarantee  the frames that Spark has: ends move forward only, a frame that ends before it begins is empty, and a RANGE offset is
  *            added only where there is a row to compare the sum with
  * Cost       O(1) a row amortised
  * Memory     16 bytes for each row that is settled and not yet passed
  *
  * The last partition may have more rows to come: a row is settled when its frame can change no more.
  */
final class FrameDriver(bounds: FrameBounds, nullsFirst: Boolean, rows: ColumnSource) {
  private val lower = FrameDriver.kind(bounds.lower)
  private val upper = FrameDriver.kind(bounds.upper)
  private val rowsBack = FrameDriver.rows(bounds.lower)
  private val rowsOn = FrameDriver.rows(bounds.upper)
  private val lowest = FrameDriver.offset(bounds.lower)
  private val highest = FrameDriver.offset(bounds.upper)

  // three places of their own: the row's, its frame's first row's, and that of the row after its frame
  private var own, lefts, rights = new ColumnCursor(rows)

  // of each row from `passed` until `next`
  private var froms, untils = new Array[Long](0)
  private var passed, next = 0L

  private var partition = 0L
  private var left, right = 0L

  /** Where the frame of a row begins that is settled and not passed. */
  def from(row: Long): Long = froms((row - passed).toInt)

  /** Where the frame of a row has ended that is settled and not passed. */
  def until(row: Long): Long = untils((row - passed).toInt)

  /** Rows before this one are settled. */
  def settled: Long = next

  /** The first row that this row or a later one may see. */
  def needed(row: Long): Long = if (row < next) from(row) else left

  /** Reads other rows from now on, of which this is the first to be settled. It begins a partition, or goes on with the frame that
    * was found for it.
    */
  def restart(rows: ColumnSource, row: Long, partition: Long, isFirst: Boolean): Unit = {
    if (isFirst) {
      left = row
      right = row
    } else if (row < next) {
      right = until(row)
      left = from(row)
    }
    own = new ColumnCursor(rows)
    lefts = new ColumnCursor(rows)
    rights = new ColumnCursor(rows)
    this.partition = partition
    passed = row
    next = row
  }

  /** Makes room for so many rows that are settled and not passed. */
  def reserve(length: Int): Unit = if (froms.length < length) resize(length)

  /** Makes room for so many rows and no more, of which none is settled yet. */
  def resize(length: Int): Unit = {
    froms = Arrays.copyOf(froms, length)
    untils = Arrays.copyOf(untils, length)
  }

  /** Rows before this one are asked for no more. */
  def pass(row: Long): Unit = {
    val (gone, kept) = ((row - passed).toInt, (next - row).toInt)
    System.arraycopy(froms, gone, froms, 0, kept)
    System.arraycopy(untils, gone, untils, 0, kept)
    passed = row
  }

  /** Settles what can be settled of rows in memory, partition after partition. */
  def settle(columns: FrameColumns): Unit = {
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

  /** Settles rows of one partition, so many at most that are not passed.
    *
    * @param end     where the rows end that are there
    * @param isWhole whether the partition ends there too
    */
  def settle(end: Long, isWhole: Boolean, most: Int): Unit = {
    refresh()
    reserve(most)
    run(math.min(end, passed + most), end, isWhole)
  }

  private def refresh(): Unit = {
    own.refresh()
    lefts.refresh()
    rights.refresh()
  }

  private def run(stop: Long, end: Long, isWhole: Boolean): Unit = {
    var row = next
    var at = (row - passed).toInt
    while (row < stop && moveUpper(row, end, isWhole)) {
      moveLower(row)
      froms(at) = left
      untils(at) = right
      row += 1
      at += 1
    }
    next = row
  }

  /** Whether it is certain where the row's frame ends. */
  private def moveUpper(row: Long, end: Long, isWhole: Boolean): Boolean = {
    var at = right
    if (upper == FrameDriver.ByRows) {
      val stop = row + 1L + rowsOn
      if (stop > end && !isWhole) return false
      right = math.max(at, math.min(stop, end))
      return true
    }
    if (upper == FrameDriver.ByPartition) at = end
    else if (upper == FrameDriver.ByPeers) {
      at = math.max(at, row + 1)
      while (at < end && isPeer(rights, at, row)) at += 1
    } else if (own.isNull(row)) {
      if (!nullsFirst) at = end
      else while (at < end && rights.isNull(at)) at += 1
    } else if (at < end) {
      val bound = highest.plus(own.order(row))
      while (at < end && !isAbove(at, bound)) at += 1
    }
    right = at
    at < end || isWhole
  }

  private def moveLower(row: Long): Unit = {
    var at = left
    if (lower == FrameDriver.ByRows) {
      left = math.max(at, math.min(row + rowsBack, right))
      return
    }
    if (lower == FrameDriver.ByPeers) while (at < right && at < row && !isPeer(lefts, at, row)) at += 1
    else if (lower == FrameDriver.ByOffset) {
      if (own.isNull(row)) {
        if (!nullsFirst) while (at < right && !lefts.isNull(at)) at += 1
      } else if (at < right) {
        val bound = lowest.plus(own.order(row))
        while (at < right && isBelow(at, bound)) at += 1
      }
    }
    left = at
  }

  private def isPeer(cursor: ColumnCursor, other: Long, row: Long): Boolean =
    cursor.order(other) == own.order(row) && cursor.isNull(other) == own.isNull(row)
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
