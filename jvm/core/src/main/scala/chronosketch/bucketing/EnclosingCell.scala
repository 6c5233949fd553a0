package chronosketch.bucketing

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
