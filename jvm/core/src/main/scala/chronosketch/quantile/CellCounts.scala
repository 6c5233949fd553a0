package chronosketch.quantile

import chronosketch.counted.Share
import chronosketch.memory.Meter

/** How many values came into each of many cells of a range of keys, however many came?
  *
  * Guarantee  tuples whose keys are the greatest of their cells: how many of the counted values are at most such a key is certain. No cell
  *            has more than the share of them that [[add]] was told, but for cells of one key
  * Cost       a few instructions a value, no sort, and no key is kept; 16 bytes a cell, 24/ε cells at most
  * Units      keys of any domain
  * Merge      none: [[tuples]] are united
  *
  * The range is cut into segments of equal width. A segment has the more cells, all of one width, the more of a sample fell into it.
  * So a gap in the middle of the range, such as the one between negative and positive doubles, takes no cells away from where values are.
  */
private[chronosketch] final class CellCounts private (
    least: Long,
    span: Long,
    shift: Int,
    segments: Array[Long],
    cells: Int
) {
  // of each cell the count and the greatest key, side by side: both are touched together
  private val slots = new Array[Long](2 * (cells + 1))
  private var counted = 0L

  /** How many values were counted. */
  def count: Long = counted

  def sizeBytes: Long = Meter.longs(slots.length) + Meter.longs(segments.length)

  /** Counts the keys from `begin` until `end`, and moves those outside of the range to the front of these. How many these are; −1, and
    * all keys stay where they are, where some cell would have more than `share` of all counted values.
    */
  def add(keys: Array[Long], begin: Int, end: Int, outside: Array[Long], share: Double): Int = {
    // a cell's first count: that of values outside never is the greatest
    slots(2 * cells) = CellCounts.Unlimited
    val most = Share.of(share, counted + end - begin)
    var o = 0
    var i = begin
    // what is crowded shows soon
    while (i < end && o >= 0) {
      val until = math.min(end, i + CellCounts.Block)
      o = addBlock(keys, i, until, outside, o, most)
      i = until
    }
    val inside = end - begin - o
    if (o < 0 || (o > 0 && greatestSize > Share.of(share, counted + inside))) {
      remove(keys, begin, i)
      -1
    } else {
      counted += inside
      System.arraycopy(outside, 0, keys, begin, o)
      o
    }
  }

  /** Where the keys outside end then; −1 where some cell has more than `most`. */
  private def addBlock(
      keys: Array[Long],
      begin: Int,
      until: Int,
      outside: Array[Long],
      at: Int,
      most: Long
  ): Int = {
    val last = segments.length - 1
    val all = slots
    val of = segments
    val from = least
    val end = span + Long.MinValue
    val by = shift
    val within = (1L << by) - 1
    var greatest = 0L
    var o = at
    var i = begin
    while (i < until) {
      val key = keys(i)
      val above = key - from
      // whether it is inside is computed, not branched on
      val isOutside = above + Long.MinValue > end
      val segment = of(if (isOutside) last else (above >>> by).toInt)
      val slot = ((segment >>> 32) + 2 * ((above & within) >>> segment)).toInt
      outside(o) = key
      o += (if (isOutside) 1 else 0)
      val size = all(slot) + 1
      all(slot) = size
      all(slot + 1) = math.max(all(slot + 1), key)
      greatest = math.max(greatest, size)
      i += 1
    }
    if (greatest > most) -1 else o
  }

  private def greatestSize: Long = {
    var greatest = 0L
    var slot = 0
    while (slot < 2 * cells) {
      greatest = math.max(greatest, slots(slot))
      slot += 2
    }
    greatest
  }

  /** The keys from `begin` until `end` are no longer counted. They may have left a cell a greatest key that is not counted there; all keys that are
    * counted there, and none of a later cell, are still at most that.
    */
  private def remove(keys: Array[Long], begin: Int, end: Int): Unit = {
    val within = (1L << shift) - 1
    var i = begin
    while (i < end) {
      val above = keys(i) - least
      if (above + Long.MinValue <= span + Long.MinValue) {
        val segment = segments((above >>> shift).toInt)
        slots(((segment >>> 32) + 2 * ((above & within) >>> segment)).toInt) -= 1
      }
      i += 1
    }
  }

  /** The tuples of what was counted: cells are put together as long as they have at most an eighth of `share`. A key that has a cell
    * of its own, and more than `share`, has two tuples. The first of the tuples need not be the minimum.
    */
  def tuples(share: Double): Tuples = {
    val limit = Share.of(share / 8, counted)
    val most = Share.of(share, counted)
    val tuples = new Tuples
    tuples.reserve(fewestRoom)
    var o = 0
    var waiting = 0L
    var last = 0L
    def end(weight: Long): Unit = {
      tuples.keys(o) = last
      tuples.gs(o) = weight
      o += 1
    }
    var cell = 0
    while (cell < cells) {
      val size = sizeOf(cell)
      if (size > 0) {
        val isPair = size > most
        if (waiting > 0 && (isPair || waiting + size > limit)) {
          end(waiting)
          waiting = 0L
        }
        last = slots(2 * cell + 1)
        if (isPair) {
          end(1L)
          end(size - 1)
        } else waiting += size
      }
      cell += 1
    }
    if (waiting > 0) end(waiting)
    tuples.size = o
    tuples.count = counted
    tuples
  }

  /** At most so many tuples tell them. */
  private def fewestRoom: Int = {
    var tuples = 0
    var cell = 0
    while (cell < cells) {
      if (sizeOf(cell) > 0) tuples += (if (isSingle(cell)) 2 else 1)
      cell += 1
    }
    tuples
  }

  /** Whether it is a cell of one key. */
  private def isSingle(cell: Int): Boolean = slots(2 * cell) < 0

  private def sizeOf(cell: Int): Long = {
    val held = slots(2 * cell)
    if (isSingle(cell)) held - CellCounts.Unlimited else held
  }

  /** Nothing is counted yet; a cell of one key may have any number. */
  private def clear(): Unit = {
    var segment = 0
    while (segment < segments.length - 1) {
      val first = (segments(segment) >>> 32).toInt
      val end = (segments(segment + 1) >>> 32).toInt
      val start = if ((segments(segment) & 63) == 0) CellCounts.Unlimited else 0L
      var slot = first
      while (slot < end) {
        slots(slot) = start
        slots(slot + 1) = Long.MinValue
        slot += 2
      }
      segment += 1
    }
  }
}

private[quantile] object CellCounts {

  /** Cells wanted, times ε. */
  private val Wanted = 8

  /** Values that are counted first, times ε: fewer would crowd some cell by chance. */
  private val AtOnce = 16
  private val MostWanted = 1 << 18

  /** Values that are counted between two looks at how crowded cells are. */
  private val Block = 1024

  /** Values times ε that came before: these take more room than cells. */
  private val Seen = 32

  /** Between the second and the last but one of fewer there may be nothing. */
  private val FewestTuples = 4

  /** Segments are at most 2 to this, hardly more than half of the cells, and one for what lies outside. */
  private val MostSegmentBits = 11

  private def segmentBits(epsilon: Double): Int =
    math.min(MostSegmentBits, 31 - Integer.numberOfLeadingZeros((Wanted / epsilon).toInt))

  /** What a cell's count starts from where it need not be held to a share. */
  private final val Unlimited = Long.MinValue / 2

  /** Whether so many values at once, after those that have tuples, may be counted in cells. */
  def isWorth(epsilon: Double, tuples: Tuples, n: Int): Boolean =
    tuples.isThinned && tuples.size >= FewestTuples && tuples.count >= Seen / epsilon && n >= AtOnce / epsilon && Wanted / epsilon <= MostWanted

  /** Cells for keys between the second and the last but one of the tuples: values far off, where they are rare, must not widen the
    * range. Told by the first n of a sample; null where half of these are outside.
    */
  def within(tuples: Tuples, sample: Array[Long], n: Int, epsilon: Double): CellCounts = {
    val least = tuples.keys(1)
    val span = tuples.keys(tuples.size - 2) - least
    val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(span) - segmentBits(epsilon))
    val segments = new Array[Long]((span >>> shift).toInt + 2)
    if (count(sample, n, least, span, shift, segments) < n / 2) null
    else {
      val cells = cut(segments, Wanted / epsilon / n, span, shift)
      val made = new CellCounts(least, span, shift, segments, cells)
      made.clear()
      made
    }
  }

  /** Puts in place of the keys of each segment where its cells are, and how far a key is shifted to find its own; how many cells all
    * have. The last segment has no more cells than the range reaches into.
    */
  private def cut(segments: Array[Long], cellsForKey: Double, span: Long, shift: Int): Int = {
    val last = segments.length - 2
    val reached = span & ((1L << shift) - 1)
    var cells = 0
    var segment = 0
    while (segment <= last) {
      val wanted = segments(segment) * cellsForKey
      val bits = bitsFor(if (segment < last) wanted else wanted * (1L << shift) / (reached + 1), shift)
      segments(segment) = (2L * cells << 32) | (shift - bits)
      cells += (if (segment < last) 1 << bits else (reached >>> (shift - bits)).toInt + 1)
      segment += 1
    }
    segments(last + 1) = (2L * cells << 32) | 63
    cells
  }

  /** How many keys of each segment the sample has, and how many of all. */
  private def count(
      sample: Array[Long],
      n: Int,
      least: Long,
      span: Long,
      shift: Int,
      to: Array[Long]
  ): Int = {
    var inside = 0
    var i = 0
    while (i < n) {
      val above = sample(i) - least
      if (above + Long.MinValue <= span + Long.MinValue) {
        to((above >>> shift).toInt) += 1
        inside += 1
      }
      i += 1
    }
    inside
  }

  /** The least b ≤ `most` with 2 to the b ≥ wanted. */
  private def bitsFor(wanted: Double, most: Int): Int = {
    var bits = 0
    while (bits < most && (1L << bits) < wanted) bits += 1
    bits
  }
}
