package chronosketch.history.span

import chronosketch.domain.Domain
import chronosketch.rank.Phi

/** Collects the boundaries of a counted span around a rank, on a path from the root.
  *
  * Guarantee  the same answers as the whole profile, or None if these boundaries do not suffice
  * Cost       a search in each of these counters: half a block of children on each level, a few cells, and their parts near the rank
  * Source     docs/algorithms.md, Any past version
  *
  * @param before least number of boundaries with fewer elements below them than the rank
  * @param after  least number of the other boundaries
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

  // a ring buffer of how many elements are below cells firstKnown to lastKnown, both inclusive: cell g is at g modulo its size
  private val elements = new Array[Long](Integer.highestOneBit(before + after + 2) * 2)
  private var firstKnown, lastKnown = block.from
  put(lastKnown, block.below)

  private val boundaries = new Boundaries(before + after + CellPath.ExtraBoundaries)
  private var isFirst = false
  private var reached = 0
  // the part of the cell at which the boundaries begin, or null if they begin with the cell; and how many boundaries were passed
  private var inside: PartCursor = null
  private var passed = 0

  locally {
    var g = block.from
    while (g + 1 < cells && below(g + 1) < rank) g += 1
    stepBack(g, before, hasRank = true)
    var lacking = before - passed
    while (lacking > 0 && g > 0) {
      g -= 1
      stepBack(g, lacking, hasRank = false)
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

  /** The quantile, if no key near it is alone in its cell. */
  def quantile(target: QuantileTarget): Option[Long] =
    boundaries.quantile(reached, isFirst, isLast, target, span, version, count)

  /** The quantile from a profile of these boundaries, which takes longer. */
  def quantileOfProfile(phi: Phi, domain: Domain): Option[Long] = {
    val partial = boundaries.profile(span, isLast, version, count, domain)
    val i = partial.quantileIndex(phi)
    // the bounds of the first two keys and of the last two are not those of the whole profile
    if ((isFirst || i >= 2) && (isLast || i < partial.size - 2)) Some(partial.key(i)) else None
  }

  private def below(g: Int): Long = {
    while (g < firstKnown) addPrevious()
    while (g > lastKnown) addNext()
    elements(g & elements.length - 1)
  }

  private def addNext(): Unit = {
    while (lastKnown >= block.end) block.toNext()
    val left = elements(lastKnown & elements.length - 1)
    lastKnown += 1
    elements(lastKnown & elements.length - 1) = block.boundary(lastKnown, left)
  }

  private def put(g: Int, below: Long): Unit =
    if (g > lastKnown - elements.length) elements(g & elements.length - 1) = below

  /** Adds the cells of the previous block. */
  private def addPrevious(): Unit = {
    while (block.from >= firstKnown) block.toPrevious()
    var below = block.below
    var g = block.from
    while (g < firstKnown) {
      put(g, below)
      g += 1
      if (g < firstKnown) below = block.boundary(g, below)
    }
    firstKnown = block.from
  }

  /** Steps back in cell g over up to `limit` boundaries, and counts them in `passed`. A cell with few parts counts as one boundary.
    *
    * @param hasRank whether to step back from the rank, and not from the cell's end
    */
  private def stepBack(g: Int, limit: Int, hasRank: Boolean): Unit = {
    val maxima = guide.maximaOf(g)
    passed = 1
    inside = null
    if (maxima != null) {
      inside = new PartCursor(maxima, version)
      if (hasRank && below(g + 1) >= rank) inside.seek(rank - below(g))
      inside.toPrevious()
      while (inside.part >= 0 && passed < limit) { inside.toPrevious(); passed += 1 }
      if (inside.part < 0) inside = null
    }
  }

  /** Adds the boundaries of a cell, from `inside` on, until `after` of them have reached the rank. */
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
        if (greatest >= 0) left = CountedSpan.boundedSum(base, greatest, left, right)
      }
      while (i < until && reached < after) {
        val value = guide.counters.at(cells + i, version)
        // −1 if the part did not exist yet
        if (value >= 0) {
          left = CountedSpan.boundedSum(base, value, left, right)
          add(parts.starts(i), left)
        }
        i = if (maxima == null) i + 1 else from + maxima.next(i + 1 - from, version)
      }
    }
  }

  private def add(start: Long, elements: Long): Unit = {
    boundaries.add(start, elements)
    if (elements >= rank) reached += 1
  }
}

private object CellPath {

  /** Room for boundaries beyond those asked for. */
  private val ExtraBoundaries = 3
}

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

/** Computes by how many ranks a key can miss the φ-quantile of between `minCount` and `maxCount` elements.
  *
  * Guarantee  the same numbers as a [[chronosketch.rank.RankProfile]] of these elements
  * Cost       two divisions, if the last question was about the same φ
  */
private[history] final class QuantileTarget(val phi: Phi, val minCount: Long, val maxCount: Long) {
  private val minRank = phi.rank(minCount)
  private val maxRank = phi.rank(maxCount)

  /** The approximate target rank. */
  def rank: Long = minRank / 2 + maxRank / 2

  /** By how many ranks a key can fall short of the target, if at least `atLeast` elements are not above it. */
  def deficit(atLeast: Long): Long = maxRank - atLeast

  /** By how many ranks a key can exceed the target, if at most `atMost` elements are below it. */
  def excess(atMost: Long): Long =
    atMost + 1 - (if (atMost <= minCount) minRank else phi.rank(atMost))
}
