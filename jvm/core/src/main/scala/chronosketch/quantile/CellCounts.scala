package chronosketch.quantile

import chronosketch.counted.ElementCount
import chronosketch.memory.Meter

/** Counts values in the cells of a range of keys, instead of storing them.
  *
  * Guarantee  [[tuples]] have the greatest key of a cell as key, so the number of counted values up to that key is certain. No
  *            cell has more than the share of them that was passed to [[add]], except cells of one key
  * Cost       a few instructions per value, no sort, and no key is stored; 16 bytes per cell, at most 24/ε cells
  * Units      keys of any domain
  * Merge      unite the [[tuples]]
  *
  * The range is divided into segments of equal width. A segment is divided into cells of equal width; the more values of a sample
  * it had, the more cells it gets. So a gap in the middle of the range, such as the one between negative and positive doubles,
  * takes no cells away from the values.
  */
private[chronosketch] final class CellCounts private (
    least: Long,
    span: Long,
    shift: Int,
    segments: Array[Long],
    cells: Int
) {
  // the count and the greatest key of each cell, side by side, since both are used together
  private val slots = new Array[Long](2 * (cells + 1))
  private var counted = 0L

  /** The number of counted values. */
  def count: Long = counted

  def sizeBytes: Long = Meter.longs(slots.length) + Meter.longs(segments.length)

  /** Counts the keys from `begin` until `end`, and moves those outside of the range to the front of this part of the array. Returns the
    * number of keys outside. Returns −1 and leaves the keys in place if some cell would have more than `share` of all counted values.
    */
  def add(keys: Array[Long], begin: Int, end: Int, outside: Array[Long], share: Double): Int = {
    // values outside are counted in an extra cell; starting very low, its count is never the greatest
    slots(2 * cells) = CellCounts.Unlimited
    val most = ElementCount.share(share, counted + end - begin)
    var o = 0
    var i = begin
    // counted in blocks: a crowded cell is noticed after the first few
    while (i < end && o >= 0) {
      val until = math.min(end, i + CellCounts.Block)
      o = addBlock(keys, i, until, outside, o, most)
      i = until
    }
    val inside = end - begin - o
    if (o < 0 || (o > 0 && greatestSize > ElementCount.share(share, counted + inside))) {
      remove(keys, begin, i)
      -1
    } else {
      counted += inside
      System.arraycopy(outside, 0, keys, begin, o)
      o
    }
  }

  /** Counts a block of keys and appends those outside of the range to `outside`, from `at` on. Returns their new end; −1 if some cell
    * has more than `most`.
    */
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
    val table = segments
    val lowest = least
    val end = span + Long.MinValue
    val bits = shift
    val within = (1L << bits) - 1
    var greatest = 0L
    var o = at
    var i = begin
    while (i < until) {
      val key = keys(i)
      val above = key - lowest
      // without a branch, which would often be mispredicted
      val isOutside = above + Long.MinValue > end
      val segment = table(if (isOutside) last else (above >>> bits).toInt)
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

  /** Subtracts the keys from `begin` until `end` from the counts. The greatest key of a cell may then be a key that is no longer
    * counted. It still is a valid key for a tuple: not below any key counted in this cell, and below all keys of later cells.
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

  /** The tuples of the counted values. Neighbouring cells are combined while they have at most an eighth of `share`. A key that has
    * a cell of its own and more than `share` gets two tuples. The first tuple need not be the minimum.
    */
  def tuples(share: Double): Tuples = {
    val limit = ElementCount.share(share / 8, counted)
    val most = ElementCount.share(share, counted)
    val tuples = new Tuples
    tuples.reserve(mostTuples)
    var o = 0
    var pending = 0L
    var last = 0L
    def addTuple(weight: Long): Unit = {
      tuples.keys(o) = last
      tuples.gs(o) = weight
      o += 1
    }
    var cell = 0
    while (cell < cells) {
      val size = sizeOf(cell)
      if (size > 0) {
        val isPair = size > most
        if (pending > 0 && (isPair || pending + size > limit)) {
          addTuple(pending)
          pending = 0L
        }
        last = slots(2 * cell + 1)
        if (isPair) {
          addTuple(1L)
          addTuple(size - 1)
        } else pending += size
      }
      cell += 1
    }
    if (pending > 0) addTuple(pending)
    tuples.size = o
    tuples.count = counted
    tuples
  }

  /** An upper bound on the number of tuples. */
  private def mostTuples: Int = {
    var tuples = 0
    var cell = 0
    while (cell < cells) {
      if (sizeOf(cell) > 0) tuples += (if (hasOneKey(cell)) 2 else 1)
      cell += 1
    }
    tuples
  }

  /** Whether the cell is a single key wide. */
  private def hasOneKey(cell: Int): Boolean = slots(2 * cell) < 0

  private def sizeOf(cell: Int): Long = {
    val count = slots(2 * cell)
    if (hasOneKey(cell)) count - CellCounts.Unlimited else count
  }

  /** Resets all counts. Those of cells of one key start very low, so that they never exceed a limit. */
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

  /** The number of cells times ε. */
  private val Wanted = 8

  /** The first bag must have at least FewestAtOnce/ε values: of fewer, too many could fall into one cell by chance. */
  private val FewestAtOnce = 16
  private val MostWanted = 1 << 18

  /** The number of values that are counted between two checks of the cell counts. */
  private val Block = 1024

  /** The tuples must have FewestSeen/ε values: then the values take more memory than the cells. */
  private val FewestSeen = 32

  /** With fewer tuples, there may be no range between the second and the second-last one. */
  private val FewestTuples = 4

  /** There are at most 2 to this power segments, hardly more than half the number of cells, and one more for values outside. */
  private val MostSegmentBits = 11

  private def segmentBits(epsilon: Double): Int =
    math.min(MostSegmentBits, 31 - Integer.numberOfLeadingZeros((Wanted / epsilon).toInt))

  /** The initial count of a cell that no limit applies to. */
  private final val Unlimited = Long.MinValue / 2

  /** Whether counting n more values in cells pays off, after those that the tuples represent. */
  def isWorthwhile(epsilon: Double, tuples: Tuples, n: Int): Boolean =
    tuples.isThinned && tuples.size >= FewestTuples && tuples.count >= FewestSeen / epsilon &&
      n >= FewestAtOnce / epsilon && Wanted / epsilon <= MostWanted

  /** Creates cells for the keys between the second and the second-last tuple, so that rare outliers do not widen the range. The first
    * n keys of `sample` decide how fine the cells are. Returns null if half of them are outside of the range.
    */
  def create(tuples: Tuples, sample: Array[Long], n: Int, epsilon: Double): CellCounts = {
    val least = tuples.keys(1)
    val span = tuples.keys(tuples.size - 2) - least
    val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(span) - segmentBits(epsilon))
    val segments = new Array[Long]((span >>> shift).toInt + 2)
    if (count(sample, n, least, span, shift, segments) < n / 2) null
    else {
      val cells = layOut(segments, Wanted / epsilon / n, span, shift)
      val counts = new CellCounts(least, span, shift, segments, cells)
      counts.clear()
      counts
    }
  }

  /** Replaces each segment's number of sampled keys by the position of its cells and the shift that maps a key to its cell. Returns the
    * number of all cells. The last segment has only the cells that the range reaches.
    */
  private def layOut(segments: Array[Long], cellsForKey: Double, span: Long, shift: Int): Int = {
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

  /** Counts the sampled keys of each segment in `to`. Returns the number of keys in all segments. */
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

  /** The least b with 2 to the b ≥ wanted, but at most `most`. */
  private def bitsFor(wanted: Double, most: Int): Int = {
    var bits = 0
    while (bits < most && (1L << bits) < wanted) bits += 1
    bits
  }
}
