package chronosketch.history.span

import chronosketch.domain.Domain
import chronosketch.rank.Phi

/** The way from the root of a counted span to a rank, and the boundaries around it: at least `before` that have fewer elements below
  * them, and `after` that have not.
  *
  * Guarantee  the answer is that of the whole profile, or none where that takes more boundaries
  * Cost       a search each counter: half a block of children on each level, a few cells, and of their parts those near the rank
  * Source     docs/algorithms.md, Any past version
  */
private[history] final class CellPath(
    span: CountedSpan,
    version: Long,
    count: Long,
    rank: Long,
    before: Int,
    after: Int
) {
  private val guide = span.guide
  private val parts = span.parts
  private val cells = span.starts.length
  private val block = new BlockCursor(span, version, count)
  block.toRank(rank)

  // how many elements are below the cells from `least` until `known`, both included, or the last of those: at g modulo its size
  private val elements = new Array[Long](Integer.highestOneBit(before + after + 2) * 2)
  private var least, known = block.from
  put(known, block.below)

  private val rows = new Boundaries(before + after + CellPath.More)
  private var isFirst = false
  private var reached = 0
  // where it begins in a cell, if not with the cell itself, and how many boundaries that is back
  private var inside: PartCursor = null
  private var passed = 0

  locally {
    var g = block.from
    while (g + 1 < cells && below(g + 1) < rank) g += 1
    begin(g, before, isWithRank = true)
    var lacking = before - passed
    while (lacking > 0 && g > 0) {
      g -= 1
      begin(g, lacking, isWithRank = false)
      lacking -= passed
    }
    isFirst = g == 0 && inside == null
    while (g < cells && reached < after) {
      add(g)
      g += 1
      inside = null
    }
  }

  private def isLast: Boolean = reached < after

  /** The quantile, where no key near it stands alone. */
  def quantile(sought: Sought): Option[Long] =
    rows.quantile(reached, isFirst, isLast, sought, span, version, count)

  /** The quantile, which takes longer. */
  def quantileOfProfile(phi: Phi, domain: Domain): Option[Long] = {
    val some = rows.profile(span, isLast, version, count, domain)
    val i = some.quantileIndex(phi)
    // what is below the first key is not known here, nor what the last two have in them
    if ((isFirst || i >= 2) && (isLast || i < some.size - 2)) Some(some.key(i)) else None
  }

  private def below(g: Int): Long = {
    while (g < least) addPrevious()
    while (g > known) addNext()
    elements(g & elements.length - 1)
  }

  private def addNext(): Unit = {
    while (known >= block.end) block.toNext()
    val left = elements(known & elements.length - 1)
    known += 1
    elements(known & elements.length - 1) = block.boundary(known, left)
  }

  private def put(g: Int, below: Long): Unit =
    if (g > known - elements.length) elements(g & elements.length - 1) = below

  /** The cells of the block before. */
  private def addPrevious(): Unit = {
    while (block.from >= least) block.toPrevious()
    var below = block.below
    var g = block.from
    while (g < least) {
      put(g, below)
      g += 1
      if (g < least) below = block.boundary(g, below)
    }
    least = block.from
  }

  /** Back from the rank, or from a cell's end, over as many boundaries of the cell as are wanted; one with few parts counts as one. */
  private def begin(g: Int, most: Int, isWithRank: Boolean): Unit = {
    val maxima = guide.maximaOf(g)
    passed = 1
    inside = null
    if (maxima != null) {
      inside = new PartCursor(maxima, version)
      if (isWithRank && below(g + 1) >= rank) inside.toNumber(rank - below(g))
      inside.toPrevious()
      while (inside.part >= 0 && passed < most) { inside.toPrevious(); passed += 1 }
      if (inside.part < 0) inside = null
    }
  }

  /** Adds the boundaries of a cell, from where it begins on, until enough have the rank. */
  private def add(g: Int): Unit = {
    val base = below(g)
    if (inside == null) add(span.starts(g), base)
    val from = parts.from(g)
    val until = parts.until(g)
    if (from < until && reached < after) {
      val right = below(g + 1)
      val maxima = guide.maximaOf(g)
      var left = base
      var i = from
      if (maxima != null) {
        i = from + (if (inside == null) maxima.next(0, version) else inside.part)
        val greatest = if (inside == null) -1L else inside.greatestBefore
        if (greatest >= 0) left = CountedSpan.within(base, greatest, left, right)
      }
      while (i < until && reached < after) {
        val value = guide.counters.at(cells + i, version)
        // not there yet
        if (value >= 0) {
          left = CountedSpan.within(base, value, left, right)
          add(parts.starts(i), left)
        }
        i = if (maxima == null) i + 1 else from + maxima.next(i + 1 - from, version)
      }
    }
  }

  private def add(start: Long, elements: Long): Unit = {
    rows.add(start, elements)
    if (elements >= rank) reached += 1
  }
}

private object CellPath {

  /** Room for parts that come along. */
  private val More = 3
}
