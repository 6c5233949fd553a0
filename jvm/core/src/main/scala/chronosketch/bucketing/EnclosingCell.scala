package chronosketch.bucketing

/** Of some of the buckets and some of the rows, which stand in order: which is the least cell that has them all, and how many elements
  * are there?
  *
  * Cost  O(1), after a pass over the buckets
  */
private[chronosketch] final class Contained(buckets: BucketList, rows: RowBlock) {

  // of the cell that was found last: it begins at (time, tie)
  var level = 0
  var time, tie = 0L

  // elements in the buckets before the i-th
  private val before: Array[Long] = new Array[Long](buckets.size + 1)
  locally {
    var i = 0
    while (i < buckets.size) { before(i + 1) = before(i) + buckets.counts(i); i += 1 }
  }

  /** Elements of buckets from b0 until b1, and rows from r0 until r1. */
  def count(b0: Int, b1: Int, r0: Int, r1: Int): Long = before(b1) - before(b0) + (r1 - r0)

  /** Finds the cell of so many, at least one. */
  def enclose(b0: Int, b1: Int, r0: Int, r1: Int): Unit = {
    val times = rows.times
    val rowFirst = b0 == b1 || (r0 < r1 &&
      isBefore(times(r0), r0, buckets.times(b0), buckets.ties(b0)))
    val firstTime = if (rowFirst) times(r0) else buckets.times(b0)
    val rowLast = b0 == b1 || (r0 < r1 &&
      !isBefore(times(r1 - 1), r1 - 1, buckets.times(b1 - 1), buckets.ties(b1 - 1)))
    val lastTime = if (rowLast) times(r1 - 1) else buckets.times(b1 - 1)
    if (firstTime != lastTime || (b0 < b1 && buckets.level(b0) > Grid.OneTime)) {
      // of more than one time: ties don't count
      val apart = Grid.common(firstTime, 0L, lastTime, 0L)
      level = if (b0 < b1) math.max(apart, buckets.level(b0)) else apart
      tie = Grid.firstTie(0L, level)
    } else {
      val firstTie = if (rowFirst) rows.tie(r0) else buckets.ties(b0)
      val lastTie = if (rowLast) rows.tie(r1 - 1) else buckets.ties(b1 - 1)
      val apart = Grid.common(firstTime, firstTie, lastTime, lastTie)
      level = if (b0 < b1) math.max(apart, buckets.level(b0)) else apart
      tie = Grid.firstTie(firstTie, level)
    }
    time = Grid.firstTime(firstTime, level)
  }

  /** Whether a row, which is of this time, comes before a position. */
  private def isBefore(at: Long, row: Int, time: Long, tie: Long): Boolean =
    at < time || (at == time && rows.tie(row) < tie)
}
