package chronosketch.quantile

/** Counts values in cells that have at most a share of what a gap of a tail sketch may have.
  *
  * Guarantee  in the union with the tuples of the sketch, every gap is within the tolerance (docs/algorithms.md, Tails)
  * Cost       a pass over the cells for each full bag
  *
  * The range ends where the values of a tail become few: these stay in the bag. A cell's limit depends on the number of elements that
  * are certainly on its other side: those of the tuples when the cells are made, those counted in other cells, and those outside.
  *
  * @param below
  *   the number of other elements that are certainly before all cells
  * @param above
  *   the number of other elements that are certainly after all cells
  */
private[quantile] final class TailCells(
    layout: CellLayout,
    tolerance: TailTolerance,
    private var below: Long,
    private var above: Long
) extends CellCounts(layout) {
  private val tail = tolerance.tail
  private val limits = tolerance.limits(TailCells.CellShare)
  private val tupleLimits = tolerance.limits(TailCells.TupleShare)

  // those of the other elements that are certainly beyond a gap of the tuples which ends outside of the range
  private var beyondLow, beyondHigh = 0L
  noteOutside(0, 0)

  protected def mostInCell(total: Long): Long = Long.MaxValue

  protected def accepts(inside: Int, outside: Array[Long], n: Int): Boolean = {
    var lower = 0
    var i = 0
    while (i < n) { lower += (if (outside(i) < least) 1 else 0); i += 1 }
    noteOutside(lower, n - lower)
    val fits = areWithin(count + inside)
    if (!fits) noteOutside(-lower, lower - n)
    fits
  }

  private def noteOutside(lower: Int, higher: Int): Unit = {
    below += lower
    above += higher
    beyondLow = TailCells.beyond(below, limits)
    beyondHigh = TailCells.beyond(above, limits)
  }

  /** Whether all cells are within their limits if they have `total` values. */
  private def areWithin(total: Long): Boolean = {
    var before = beyondLow
    var after = beyondHigh + total
    var all = true
    var cell = 0
    while (cell < cells && all) {
      val size = sizeOf(cell)
      after -= size
      all = size - 1 <= limits.spare(tail.nearer(before, after)) || hasOneKey(cell)
      before += size
      cell += 1
    }
    all
  }

  protected def isPair(before: Long, size: Long): Boolean = size - 1 > spare(limits, before, size)

  protected def isOneTuple(before: Long, size: Long): Boolean =
    size - 1 <= spare(tupleLimits, before, size)

  private def spare(limits: GapLimits, before: Long, size: Long): Long =
    limits.spare(tail.nearer(beyondLow + before, beyondHigh + count - before - size))
}

private[quantile] object TailCells {

  /** The tuples may use five eighths of the tolerance, and the cells a quarter: of the rest, what both give away by rounding down. */
  private val BesideCells = GapLimits.Whole / 8 * 5
  private val CellShare = GapLimits.Whole / 4

  /** Neighbouring cells become one tuple within a share that leaves room for drops. */
  private val TupleShare = GapLimits.Whole / 8

  /** One in this many elements is left to the bag at the end of a tail. */
  private val LeftToBag = 32

  /** Creates cells for the keys between the second and the second-last tuple, without those at the end of a tail. The first n keys of
    * `sample` decide how fine the cells are. Returns null if half of these are outside of the range, or if the tuples leave cells no
    * room.
    */
  def create(tuples: Tuples, sample: Array[Long], n: Int, tolerance: TailTolerance): TailCells =
    if (!isWithin(tuples, tolerance)) null
    else {
      val fewest = math.max(tuples.count / LeftToBag, fewestBeyond(tolerance.limits(CellShare)))
      val first = if (tolerance.tail.isLow) firstAfter(tuples, fewest) else 1
      val last = if (tolerance.tail.isHigh) lastBefore(tuples, fewest) else tuples.size - 2
      if (first >= last || tuples.keys(first) >= tuples.keys(last)) null
      else layOut(tuples, first, last, sample, n, tolerance)
    }

  /** The fewest elements that must be outside of the range where a tail ends. If 8/half of them are certainly beyond a gap, an eighth
    * of the tolerance is more than what is rounded down.
    */
  private def fewestBeyond(limits: GapLimits): Long =
    (8 / limits.half * (1 + 2 * limits.half)).toLong + 2

  /** How many of the elements outside of the range are certainly beyond a gap that contains the end of the range. */
  private def beyond(outside: Long, limits: GapLimits): Long =
    ((outside - 1) / (1 + 2 * limits.half)).toLong

  private def layOut(
      tuples: Tuples,
      first: Int,
      last: Int,
      sample: Array[Long],
      n: Int,
      tolerance: TailTolerance
  ): TailCells = {
    val cellsForKey = 8 / tolerance.epsilon
    // a sample may have fewer keys beyond the cells than the tuples
    val fewest = (n / (2 * LeftToBag)).toLong
    val tail = tolerance.tail
    val layout = CellLayout.create(
      tuples.keys(first),
      tuples.keys(last),
      sample,
      n,
      CellCounts.wanted(tolerance)
    )((before, size, after) => (size + 2) * cellsForKey / math.max(fewest, tail.nearer(before, after)))
    if (layout == null) null
    else {
      val below = Thinning.weightOf(tuples, 0, first)
      val upTo = below + Thinning.weightOf(tuples, first, last + 1)
      new TailCells(layout, tolerance, below, tuples.count - upTo - tuples.deltas(last))
    }
  }

  /** Whether all gaps are within the share that the tuples may use. */
  private def isWithin(tuples: Tuples, tolerance: TailTolerance): Boolean = {
    val limits = tolerance.limits(BesideCells)
    var rank = 0L
    var all = true
    var i = 0
    while (i < tuples.size && all) {
      val width = tuples.gs(i) + tuples.deltas(i)
      val isFirst = i == 0 || tuples.keys(i) != tuples.keys(i - 1)
      all =
        !isFirst || width - 1 <= limits.spare(tolerance.tail.nearer(rank, tuples.count - rank - width + 1))
      rank += tuples.gs(i)
      i += 1
    }
    all
  }

  /** The index of the first tuple before which there are at least `fewest` elements with lesser keys. */
  private def firstAfter(tuples: Tuples, fewest: Long): Int = {
    val k = tuples.keys
    var before = tuples.gs(0)
    var i = 1
    while (i < tuples.size && (before < fewest || k(i) == k(i - 1))) { before += tuples.gs(i); i += 1 }
    i
  }

  /** The index of the last tuple after which there are at least `fewest` elements. */
  private def lastBefore(tuples: Tuples, fewest: Long): Int = {
    var after = 0L
    var i = tuples.size - 1
    while (i > 0 && after - tuples.deltas(i) < fewest) { after += tuples.gs(i); i -= 1 }
    i
  }
}
