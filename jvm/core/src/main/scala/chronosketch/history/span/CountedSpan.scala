package chronosketch.history.span

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.rank.{Phi, RankProfile}

/** How many elements were alive below each of some boundaries, at every version?
  *
  * Guarantee  what [[Tolerance]] says, at each version that the builder ended
  * Cost       a quantile: half a block on each level, a search each counter ([[CellPath]]); a profile: all cells
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

  private var made: SpanGuide = null

  /** Made when a quantile is asked for; by two threads at once, twice, to the same end. */
  def guide: SpanGuide = {
    var guide = made
    if (guide == null) {
      guide = new SpanGuide(counters, parts, cells)
      made = guide
    }
    guide
  }

  def sizeBytes: Long =
    Meter.longs(starts.length) + parts.sizeBytes + counters.sizeBytes + 2 * Meter.ObjectBytes +
      (if (made == null) 0L else made.sizeBytes)

  def profile(version: Long, domain: Domain): RankProfile = {
    val count = counters.at(0, version)
    val rows = new Boundaries(2 * cells)
    addBlock(rows, 0, 0, 0L, count, version)
    rows.profile(this, isLast = true, version, count, domain)
  }

  def counted: Option[CountedSpan] = Some(this)

  private var isAsked = false

  /** The φ-quantile of a version that had `count` elements, where that is quicker than from its profile and answers the same. The first
    * question is not: most histories are asked one, and to make the guide takes longer than a profile.
    */
  def quantile(version: Long, count: Long, phi: Phi, domain: Domain): Option[Long] =
    if (!isAsked) {
      isAsked = true
      None
    } else {
      val sought = new Sought(phi, lowest(count, version), highest(count, version))
      val path = new CellPath(this, version, count, sought.rank, CountedSpan.Before, CountedSpan.After)
      path.quantile(sought).orElse {
        val wide = CountedSpan.After + blocks.fanout
        new CellPath(this, version, count, sought.rank, wide, wide).quantileOfProfile(phi, domain)
      }
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

  /** Adds the boundaries that a cell and its parts begin with. */
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

  /** The boundaries with fewer elements below them than a rank, and with more, that an answer takes, usually. */
  private val Before = 2
  private val After = 3

  /** A sum of counts, or what fits. */
  def plus(a: Long, b: Long): Long = {
    val sum = a + b
    if (sum < 0) Long.MaxValue else sum
  }

  /** base + value, between two bounds. */
  def within(base: Long, value: Long, low: Long, high: Long): Long =
    math.min(high, math.max(low, plus(base, value)))
}

/** The cells that were split, and where: part i begins with `starts(i)`; those of cell g are from `ends(g − 1)` until `ends(g)`. */
private[history] final class CellParts(val starts: Array[Long], ends: Array[Int]) {
  def from(g: Int): Int = if (g == 0) 0 else ends(g - 1)
  def until(g: Int): Int = ends(g)
  def sizeBytes: Long = Meter.longs(starts.length) + Meter.longs(ends.length) / 2
}
