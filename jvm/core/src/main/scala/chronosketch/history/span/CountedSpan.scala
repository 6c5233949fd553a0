package chronosketch.history.span

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.rank.{Phi, RankProfile}

/** Counts, for every version of a span, the elements alive below some boundaries.
  *
  * Guarantee  within the [[Tolerance]], at each version that the builder ended
  * Cost       a quantile: half a block on each level, a search in each counter ([[CellPath]]); a profile: all cells
  * Source     Tao, Yi, Sheng, Pei, Li, Logging every footstep, SIGMOD 2010, §3; docs/algorithms.md, Any past version, lists the
  *            differences
  *
  * @param starts    the keys at which the cells begin; the first cell has all keys below the second
  * @param parts     the parts of the cells that were split
  * @param counters  counter 0 is the count; counter g belongs to the boundary before cell g; those from `starts.length` on to the parts, in
  *                  order
  * @param least     lower bound of all elements in all versions of the span
  * @param greatest  upper bound of all elements in all versions of the span
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
    val maxAlive: Long
) extends Span {
  private def cells: Int = starts.length

  private var cachedGuide: SpanGuide = null

  /** Built when a quantile is asked for. If two threads build it at once, both get equal guides. */
  def guide: SpanGuide = {
    var guide = cachedGuide
    if (guide == null) {
      guide = new SpanGuide(counters, parts, cells)
      cachedGuide = guide
    }
    guide
  }

  def sizeBytes: Long =
    Meter.longs(starts.length) + parts.sizeBytes + counters.sizeBytes + 2 * Meter.ObjectBytes +
      (if (cachedGuide == null) 0L else cachedGuide.sizeBytes)

  def profile(version: Long, domain: Domain): RankProfile = {
    val count = counters.at(0, version)
    val boundaries = new Boundaries(2 * cells)
    addBlock(boundaries, 0, 0, 0L, count, version)
    boundaries.profile(this, isLast = true, version, count, domain)
  }

  def counted: Option[CountedSpan] = Some(this)

  /** The φ-quantile of a version with `count` elements, if a path through the cells determines it. It is the answer of the profile. The
    * first call builds [[guide]], which takes longer than one profile.
    */
  def quantile(version: Long, count: Long, phi: Phi, domain: Domain): Option[Long] = {
    val target = new QuantileTarget(phi, minCount(count, version), maxCount(count, version))
    val path =
      new CellPath(
        this,
        version,
        count,
        target.rank,
        CountedSpan.BoundariesBefore,
        CountedSpan.BoundariesAfter
      )
    path.quantile(target).orElse {
      val wide = CountedSpan.BoundariesAfter + blocks.fanout
      new CellPath(this, version, count, target.rank, wide, wide).quantileOfProfile(phi, domain)
    }
  }

  /** The least count that the counter allows. */
  def minCount(count: Long, version: Long): Long =
    math.min(maxCount(count, version), if (version == first) count else math.max(0L, count - tolerance.count))

  /** The greatest count that the counter allows. */
  def maxCount(count: Long, version: Long): Long =
    math.min(maxAlive, if (version == first) count else CountedSpan.plus(count, tolerance.count))

  /** The greatest error of a boundary's rank. At the first version the counters are exact. */
  def rankError(version: Long): Long = if (version == first) 0L else tolerance.path

  /** How many elements are below the boundary before cell `g` of a block: at least `left` and at most `limit`. */
  private def boundary(g: Int, end: Int, base: Long, left: Long, limit: Long, version: Long): Long =
    if (g >= end) limit else CountedSpan.boundedSum(base, counters.at(g, version), left, limit)

  private def addBlock(
      boundaries: Boundaries,
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
      if (unit == 1) addCell(boundaries, g, left, right, version)
      else addBlock(boundaries, level + 1, g, left, right, version)
      left = right
      g += unit
    }
  }

  /** Adds the boundaries at which a cell and its parts begin. */
  private def addCell(boundaries: Boundaries, g: Int, base: Long, limit: Long, version: Long): Unit = {
    boundaries.add(starts(g), base)
    var left = base
    var i = parts.from(g)
    while (i < parts.until(g)) {
      val value = counters.at(cells + i, version)
      // −1 if the part did not exist yet
      if (value >= 0) {
        left = CountedSpan.boundedSum(base, value, left, limit)
        boundaries.add(parts.starts(i), left)
      }
      i += 1
    }
  }

  def write(w: Wire.Writer): Unit = CountedSpanWire.write(w, this)
}

private[history] object CountedSpan {
  val Form = 1

  /** How many boundaries below and above a rank usually determine an answer. */
  private val BoundariesBefore = 2
  private val BoundariesAfter = 3

  /** The sum of two counts, at most Long.MaxValue. */
  def plus(a: Long, b: Long): Long = {
    val sum = a + b
    if (sum < 0) Long.MaxValue else sum
  }

  /** base + value, but at least `low` and at most `high`. */
  def boundedSum(base: Long, value: Long, low: Long, high: Long): Long =
    math.min(high, math.max(low, plus(base, value)))
}

/** The parts of all cells that were split: part i begins at the key `starts(i)`; cell g has the parts [ends(g − 1), ends(g)). */
private[history] final class CellParts(val starts: Array[Long], ends: Array[Int]) {
  def from(g: Int): Int = if (g == 0) 0 else ends(g - 1)
  def until(g: Int): Int = ends(g)
  def sizeBytes: Long = Meter.longs(starts.length) + Meter.longs(ends.length) / 2
}
