package chronosketch.history.span

import chronosketch.domain.Domain
import chronosketch.rank.Phi

/** The way from the root of a counted span to a rank, and the cells around it.
  *
  * Guarantee  the answer is that of the whole profile, or none where that takes more cells
  * Cost       a binary search each boundary: half a block of children on each level, then the cells from the beginning of a block
  *            up to a few past the rank
  * Source     docs/algorithms.md, Any past version
  *
  * It stands at a block of the last level: the cells from `from` until [[end]]. `base` elements are below the first, and `limit` below
  * the one after the last.
  */
private[history] final class CellPath(span: CountedSpan, version: Long, count: Long) {
  private val blocks = span.blocks
  private val cells = span.starts.length
  private var from = 0
  private var base = 0L
  private var limit = count

  // the block above this one: where it ends, and how many elements are below it and below what follows
  private var parentEnd = cells
  private var parentBase = 0L
  private var parentLimit = count

  /** `base` of the block before, if it is in the same parent; else −1. */
  private var baseBefore = -1L

  /** The φ-quantile, whose rank is about `rank`, from the cells around it. Those of the block before are taken if the rank is near that, or
    * if `isWide`, which also takes a block more of those that follow.
    */
  def near(rank: Long, phi: Phi, domain: Domain, isWide: Boolean): Option[Long] = {
    goTo(-1, rank)
    if (from > 0 && (isWide || blocks.fanout * (rank - base) < CellPath.Before * (limit - base))) toPrevious()
    val first = from
    val enough = if (isWide) CellPath.After + blocks.fanout else CellPath.After
    val rows = new Boundaries(2 * blocks.fanout + enough)
    var left = base
    var cell = first
    var after = 0
    while (cell < cells && after < enough) {
      if (cell == end) toNext()
      val right = span.boundary(cell + 1, end, base, left, limit, version)
      span.addCell(rows, cell, left, right, version)
      left = right
      cell += 1
      if (right >= rank) after += 1
    }
    val isLast = cell == cells
    if (!isLast) rows.add(span.starts(cell), left)
    val some = rows.profile(span, isLast, version, count, domain)
    val i = some.quantileIndex(phi)
    // what is below the first key is not known here, nor what the last two have in them
    if ((first == 0 || i >= 2) && (isLast || i < some.size - 2)) Some(some.key(i)) else None
  }

  private def end: Int = blocks.end(blocks.height - 1, from)

  /** To the block of a cell; or, where that is −1, of the boundary that has a rank. */
  private def goTo(cell: Int, rank: Long): Unit = {
    from = 0
    base = 0L
    limit = count
    var level = 0
    while (level < blocks.height - 1) {
      parentEnd = blocks.end(level, from)
      parentBase = base
      parentLimit = limit
      baseBefore = -1L
      val unit = blocks.unit(level)
      var right = span.boundary(from + unit, parentEnd, parentBase, base, parentLimit, version)
      while (from + unit < parentEnd && (if (cell >= 0) from + unit <= cell else right < rank)) {
        from += unit
        baseBefore = base
        base = right
        right = span.boundary(from + unit, parentEnd, parentBase, base, parentLimit, version)
      }
      limit = right
      level += 1
    }
  }

  /** Cells in a block of the last level. */
  private def width: Int = blocks.fanout

  private def toPrevious(): Unit =
    if (baseBefore < 0) goTo(from - 1, 0L)
    else {
      limit = base
      base = baseBefore
      from -= width
      baseBefore = -1L
    }

  private def toNext(): Unit =
    if (end == parentEnd) goTo(end, 0L)
    else {
      baseBefore = base
      base = limit
      from = end
      limit = span.boundary(from + width, parentEnd, parentBase, base, parentLimit, version)
    }
}

private object CellPath {

  /** The cells before the one with the rank, and from it on, that an answer takes, usually. */
  private val Before = 3
  private val After = 3
}
