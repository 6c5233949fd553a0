package chronosketch.bucketing

/** How few buckets are enough, given those there are and rows that came?
  *
  * Guarantee  if elements in buckets that straddle a position were ≤ ε·(elements in buckets after it) − 6, for every position,
  *            they still are; a bucket of one position straddles none
  * Cost       two visits a bucket that comes out, each a search in what its cell has; a join as in [[Contents]]; of the newest elements,
  *            which stay single, a look at each
  * Units      rows stand in order of position, one element each
  * Merge      union first, then this: the same whatever order the buckets were united in
  * Source     Xu, Lin, Zhou, Space efficient quantile summary for constrained sliding windows, 2004, §3, with disjoint buckets
  *            on a grid instead of nested ones (docs/algorithms.md, Joining)
  *
  * Top down: all that lies inside a cell becomes one bucket, if it and the buckets of larger cells around it keep the promise
  * at the cell; else the bucket of that very cell stays, and its halves are looked at. Of elements that one cell holds only
  * the least cell around them counts.
  */
private[chronosketch] final class Joining(
    buckets: BucketList,
    rows: RowBlock,
    epsilon: Double,
    contents: Gathering
) {
  // of no more elements than these no two positions are one bucket
  private val mostSingle = Buckets.mostSingle(epsilon)

  private val joined =
    new BucketList(math.max(buckets.size.toLong, math.min(rows.size.toLong, 2 * mostSingle)).toInt + 16)

  private val cell = new Contained(buckets, rows)

  def result(): BucketList = {
    visit(0, buckets.size, 0, rows.size, 0L, 0L)
    joined
  }

  /** `around`: elements of the buckets whose cells have this one inside; `after`: of those that begin after it. */
  private def visit(b0: Int, b1: Int, r0: Int, r1: Int, around: Long, after: Long): Unit =
    if (r0 == r1 && b1 - b0 <= 1) { if (b0 < b1) joined.add(buckets, b0) }
    else if (after + cell.count(b0, b1, r0, r1) <= mostSingle) keep(b0, b1, r0, r1)
    else {
      cell.enclose(b0, b1, r0, r1)
      val level = cell.level
      val time = cell.time
      val tie = cell.tie
      val count = cell.count(b0, b1, r0, r1)
      if (level == 0) joined.add(time, tie, 0, count, null)
      else if (around + count <= Buckets.mostAround(epsilon, after)) {
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

  /** As they are: the buckets, and every position of the rows. */
  private def keep(b0: Int, b1: Int, r0: Int, r1: Int): Unit = {
    val times = rows.times
    val keys = rows.keys
    var b = b0
    var r = r0
    while (r < r1) {
      val time = times(r)
      val tie = Tie.of(keys(r))
      // larger ones that begin here come first
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
