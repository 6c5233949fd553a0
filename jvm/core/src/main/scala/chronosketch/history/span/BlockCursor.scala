package chronosketch.history.span

/** A cursor over the blocks of a counted span's last level, at a version. It stands at the cells [from, end).
  *
  * Guarantee  the same numbers as the profile
  * Cost       moving to a rank reads half a block of children on each level; moving to a neighbouring block usually reads one counter
  * Source     docs/algorithms.md, Any past version
  */
private[history] final class BlockCursor(span: CountedSpan, version: Long, count: Long) {
  private val counters = span.guide.counters
  private val blocks = span.blocks
  private val cells = span.starts.length
  private var first, until = 0
  private var base = 0L
  private var limit = count

  // the parent block: its end, and how many elements are below it and below the block after it
  private var parentEnd = cells
  private var parentBase = 0L
  private var parentLimit = count

  /** `base` of the previous block, if it has the same parent; else −1. */
  private var baseBefore = -1L

  def from: Int = first
  def end: Int = until

  /** How many elements are below the first cell. */
  def below: Long = base

  /** How many elements are below cell g, which is not the first; g may be the cell after the last. `left` elements are below cell g − 1. */
  def boundary(g: Int, left: Long): Long = boundary(g, until, base, left, limit)

  private def boundary(g: Int, end: Int, base: Long, left: Long, limit: Long): Long =
    if (g >= end) limit else CountedSpan.boundedSum(base, counters.at(g, version), left, limit)

  /** Moves to the block whose boundaries enclose a rank. */
  def toRank(rank: Long): Unit = goTo(-1, rank)

  /** Moves to the block of a cell, or to that of a rank if `cell` is −1. */
  private def goTo(cell: Int, rank: Long): Unit = {
    first = 0
    base = 0L
    limit = count
    var level = 0
    while (level < blocks.height - 1) {
      parentEnd = blocks.end(level, first)
      parentBase = base
      parentLimit = limit
      baseBefore = -1L
      val unit = blocks.unit(level)
      var right = boundary(first + unit, parentEnd, parentBase, base, parentLimit)
      while (first + unit < parentEnd && (if (cell >= 0) first + unit <= cell else right < rank)) {
        first += unit
        baseBefore = base
        base = right
        right = boundary(first + unit, parentEnd, parentBase, base, parentLimit)
      }
      limit = right
      level += 1
    }
    until = blocks.end(blocks.height - 1, first)
  }

  /** The number of cells in a block of the last level. */
  private def width: Int = blocks.fanout

  def toPrevious(): Unit =
    if (baseBefore < 0) goTo(first - 1, 0L)
    else {
      limit = base
      base = baseBefore
      until = first
      first -= width
      baseBefore = -1L
    }

  def toNext(): Unit =
    if (until == parentEnd) goTo(until, 0L)
    else {
      baseBefore = base
      base = limit
      first = until
      until = blocks.end(blocks.height - 1, first)
      limit = boundary(first + width, parentEnd, parentBase, base, parentLimit)
    }
}
