package chronosketch.history.span

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.rank.{Phi, RankProfile}

/** How many elements were alive below each of some boundaries, at every version?
  *
  * Guarantee  what [[Tolerance]] says, at each version that the builder ended
  * Cost       a quantile: one or two blocks of cells, a binary search each counter; a profile: all cells
  * Source     Tao, Yi, Sheng, Pei, Li, Logging every footstep, SIGMOD 2010, §3; docs/algorithms.md, Any past version, says what departs
  *
  * @param starts    the numbers that the cells begin with; the first has all below the second
  * @param parts     the cells that were split
  * @param counters  0: the count; g: of the boundary before cell g; from `starts.length` on: of the parts, in order
  * @param least     no element was below it, in all versions of the span
  * @param greatest  nor above it
  */
private[history] final class CountedSpan(
    val first: Long,
    val starts: Array[Long],
    val blocks: CellBlocks,
    val tolerance: Tolerance,
    val parts: CellParts,
    val counters: Tracks,
    val least: Long,
    val greatest: Long,
    val most: Long
) extends Span {
  private def cells: Int = starts.length

  def sizeBytes: Long =
    Meter.longs(starts.length) + parts.sizeBytes + counters.sizeBytes + 2 * Meter.ObjectBytes

  def profile(version: Long, domain: Domain): RankProfile = {
    val count = counters.at(0, version)
    val rows = new Boundaries(2 * cells)
    addBlock(rows, 0, 0, 0L, count, version)
    rows.profile(this, isFirst = true, isLast = true, version, count, domain)
  }

  def quantile(version: Long, phi: Phi, domain: Domain): Option[Long] = {
    val count = counters.at(0, version)
    if (highest(count, version) == 0) None
    else {
      val rank = phi.rank(lowest(count, version)) / 2 + phi.rank(highest(count, version)) / 2
      val leaf = new Leaf(version, count)
      leaf.goTo(-1, rank)
      val third = (leaf.limit - leaf.base) / 3
      Some(
        near(leaf, rank - leaf.base < third, leaf.limit - rank < third, phi, domain)
          .orElse(near(leaf, before = true, after = true, phi, domain))
          .getOrElse(profile(version, domain).quantile(phi))
      )
    }
  }

  /** The answer, from the cells of a block of the last level, and of the one before it, and after it; none if more must be known. */
  private def near(leaf: Leaf, before: Boolean, after: Boolean, phi: Phi, domain: Domain): Option[Long] = {
    val rows = new Boundaries(4 * blocks.fanout)
    val other = new Leaf(leaf.version, leaf.count)
    var from = leaf.from
    if (before && from > 0) {
      other.goTo(from - 1, 0L)
      from = other.from
      other.addTo(rows)
    }
    leaf.addTo(rows)
    var last = leaf
    if (after && leaf.end < cells) {
      other.goTo(leaf.end, 0L)
      other.addTo(rows)
      last = other
    }
    val end = last.end
    if (end < cells) rows.add(starts(end), last.limit)
    val some = rows.profile(this, from == 0, end == cells, leaf.version, leaf.count, domain)
    val i = some.quantileIndex(phi)
    // what lies beyond the ends is not known here
    if ((from == 0 || i >= 2) && (end == cells || i < some.size - 2)) Some(some.key(i)) else None
  }

  /** A block of cells of the last level: those from `from` until `end`; `base` elements are below the first, `limit` below the one after
    * the last.
    */
  private final class Leaf(val version: Long, val count: Long) {
    var from = 0
    var base, limit = 0L
    def end: Int = blocks.end(blocks.height - 1, from)

    /** To the block of a cell, or of the boundary that has a rank. */
    def goTo(cell: Int, rank: Long): Unit = {
      from = 0
      base = 0L
      limit = count
      var level = 0
      while (level < blocks.height - 1) {
        val blockEnd = blocks.end(level, from)
        val blockBase = base
        val unit = blocks.unit(level)
        var right = boundary(from + unit, blockEnd, blockBase, base, limit, version)
        while (from + unit < blockEnd && (if (cell >= 0) from + unit <= cell else right < rank)) {
          from += unit
          base = right
          right = boundary(from + unit, blockEnd, blockBase, base, limit, version)
        }
        limit = right
        level += 1
      }
    }

    def addTo(rows: Boundaries): Unit = addBlock(rows, blocks.height - 1, from, base, limit, version)
  }

  /** Least and greatest count there can be. */
  def lowest(count: Long, version: Long): Long =
    math.min(highest(count, version), if (version == first) count else math.max(0L, count - tolerance.count))
  def highest(count: Long, version: Long): Long =
    math.min(most, if (version == first) count else CountedSpan.plus(count, tolerance.count))

  /** How far a rank is off at most: at the first version counters are exact. */
  def off(version: Long): Long = if (version == first) 0L else tolerance.path

  /** How many elements are below the boundary before cell `g` of a block, no fewer than `left` and no more than `limit`. */
  private def boundary(g: Int, end: Int, base: Long, left: Long, limit: Long, version: Long): Long =
    if (g >= end) limit else CountedSpan.within(base, counters.at(g, version), left, limit)

  private def addBlock(
      rows: Boundaries,
      level: Int,
      from: Int,
      base: Long,
      limit: Long,
      version: Long
  ): Unit = {
    val end = blocks.end(level, from)
    val unit = blocks.unit(level)
    var left = base
    var g = from
    while (g < end) {
      val right = boundary(g + unit, end, base, left, limit, version)
      if (unit == 1) addCell(rows, g, left, right, version)
      else addBlock(rows, level + 1, g, left, right, version)
      left = right
      g += unit
    }
  }

  private def addCell(rows: Boundaries, g: Int, base: Long, limit: Long, version: Long): Unit = {
    rows.add(starts(g), base)
    var left = base
    var i = parts.from(g)
    while (i < parts.until(g)) {
      val value = counters.at(cells + i, version)
      // not there yet
      if (value >= 0) {
        left = CountedSpan.within(base, value, left, limit)
        rows.add(parts.starts(i), left)
      }
      i += 1
    }
  }

  def write(w: Wire.Writer): Unit = CountedSpanWire.write(w, this)
}

private[history] object CountedSpan {
  val Form = 1

  /** A sum of counts, or what fits. */
  def plus(a: Long, b: Long): Long = {
    val sum = a + b
    if (sum < 0) Long.MaxValue else sum
  }

  /** base + value, between two bounds. */
  private def within(base: Long, value: Long, low: Long, high: Long): Long =
    math.min(high, math.max(low, plus(base, value)))
}

/** The cells that were split, and where: part i begins with `starts(i)`; those of cell g are from `ends(g − 1)` until `ends(g)`. */
private[history] final class CellParts(val starts: Array[Long], ends: Array[Int]) {
  def from(g: Int): Int = if (g == 0) 0 else ends(g - 1)
  def until(g: Int): Int = ends(g)
  def sizeBytes: Long = Meter.longs(starts.length) + Meter.longs(ends.length) / 2
}

/** Numbers that change from version to version: number i is `values(j)` from `versions(j)` on, for j from `ends(i − 1)` until
  * `ends(i)`.
  */
private[history] final class Tracks(ends: Array[Int], versions: Array[Long], values: Array[Long]) {
  def size: Int = ends.length
  def writes: Int = versions.length
  def from(i: Int): Int = if (i == 0) 0 else ends(i - 1)
  def until(i: Int): Int = ends(i)
  def version(j: Int): Long = versions(j)
  def value(j: Int): Long = values(j)

  /** The i-th number at a version; −1 before it was first written. */
  def at(i: Int, version: Long): Long = {
    val from = if (i == 0) 0 else ends(i - 1)
    var low = from
    var high = ends(i)
    while (low < high) {
      val mid = (low + high) >>> 1
      if (versions(mid) <= version) low = mid + 1 else high = mid
    }
    if (low == from) -1L else values(low - 1)
  }

  def sizeBytes: Long =
    Meter.longs(versions.length) + Meter.longs(values.length) + Meter.longs(ends.length) / 2
}
