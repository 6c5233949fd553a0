package chronosketch.bucketing

/** Joins buckets and new rows into as few buckets as the guarantee allows.
  *
  * Guarantee  if the buckets that straddle a position had at most ε·(elements in buckets after it) − 6 elements, for every position,
  *            they still do. A bucket of one position straddles none
  * Cost       two visits per resulting bucket, each a binary search inside its cell, and the union of contents as in [[Contents]];
  *            the newest elements, which stay unjoined, are copied one by one
  * Units      rows are sorted by position, one element each
  * Merge      union first, then this. The result does not depend on the order of the unions
  * Source     Xu, Lin, Zhou, Space efficient quantile summary for constrained sliding windows, 2004, §3, with disjoint buckets
  *            on a grid instead of nested ones (docs/algorithms.md, Joining)
  *
  * Works top down. All elements inside a cell become one bucket if this bucket and those of the larger cells around it keep the guarantee.
  * Else the bucket of exactly this cell is kept, and the two halves are visited. For any set of elements only the smallest cell around
  * them is considered.
  */
private[chronosketch] final class Joining(
    buckets: BucketList,
    rows: RowBlock,
    epsilon: Double,
    contents: ContentBuilder
) {
  // while there are at most this many elements, no two positions share a bucket
  private val maxUnjoined = Buckets.maxUnjoined(epsilon)

  private val joined =
    new BucketList(math.max(buckets.size.toLong, math.min(rows.size.toLong, 2 * maxUnjoined)).toInt + 16)

  private val cell = new EnclosingCell(buckets, rows)

  def result(): BucketList = {
    visit(0, buckets.size, 0, rows.size, 0L, 0L)
    joined
  }

  /** Joins buckets [b0, b1) and rows [r0, r1).
    *
    * @param around elements in buckets whose cells enclose these
    * @param after  elements in buckets and rows that begin after these
    */
  private def visit(b0: Int, b1: Int, r0: Int, r1: Int, around: Long, after: Long): Unit =
    if (r0 == r1 && b1 - b0 <= 1) { if (b0 < b1) joined.add(buckets, b0) }
    else if (after + cell.count(b0, b1, r0, r1) <= maxUnjoined) addUnjoined(b0, b1, r0, r1)
    else {
      cell.enclose(b0, b1, r0, r1)
      val level = cell.level
      val time = cell.time
      val tie = cell.tie
      val count = cell.count(b0, b1, r0, r1)
      if (level == 0) joined.add(time, tie, 0, count, null)
      else if (around + count <= Buckets.maxStraddling(epsilon, after)) {
        var b = b0
        while (b < b1) { contents.add(buckets, b); b += 1 }
        contents.addRows(rows.keys, r0, r1)
        joined.add(time, tie, level, count, contents.content())
      } else {
        val isOwn = b0 < b1 && buckets.level(b0) == level
        if (isOwn) joined.add(buckets, b0)
        val b = if (isOwn) b0 + 1 else b0
        val aroundHalves = if (isOwn) around + buckets.counts(b0) else around
        val middleTime = Grid.middleTime(time, level)
        val middleTie = Grid.middleTie(tie, level)
        val bm = buckets.firstFrom(b, b1, middleTime, middleTie)
        val rm = rows.firstFrom(r0, r1, middleTime, middleTie)
        visit(b, bm, r0, rm, aroundHalves, after + cell.count(bm, b1, rm, r1))
        visit(bm, b1, rm, r1, aroundHalves, after)
      }
    }

  /** Adds the buckets unchanged, and a bucket for each position of the rows. */
  private def addUnjoined(b0: Int, b1: Int, r0: Int, r1: Int): Unit = {
    val times = rows.times
    val keys = rows.keys
    var b = b0
    var r = r0
    while (r < r1) {
      val time = times(r)
      val tie = Tie.of(keys(r))
      // larger buckets that begin here come first
      while (
        b < b1 && !Grid.isBefore(time, tie, buckets.times(b), buckets.ties(b)) && !isPosition(b, time, tie)
      ) { joined.add(buckets, b); b += 1 }
      val first = r
      // equal keys have equal ties
      while (r < r1 && times(r) == time && keys(r) == keys(first)) r += 1
      var count = (r - first).toLong
      if (b < b1 && isPosition(b, time, tie)) { count += buckets.counts(b); b += 1 }
      joined.add(time, tie, 0, count, null)
    }
    while (b < b1) { joined.add(buckets, b); b += 1 }
  }

  private def isPosition(b: Int, time: Long, tie: Long): Boolean =
    buckets.level(b) == 0 && buckets.times(b) == time && buckets.ties(b) == tie
}
