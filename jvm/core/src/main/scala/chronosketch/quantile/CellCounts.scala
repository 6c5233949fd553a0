package chronosketch.quantile

import chronosketch.counted.ElementCount
import chronosketch.memory.Meter

/** Counts values in the cells of a range of keys, instead of storing them.
  *
  * Guarantee  [[tuples]] have the greatest key of a cell as key, so the number of counted values up to that key is certain. No
  *            cell has more values than its limit, except cells of one key
  * Cost       a few instructions per value, no sort, and no key is stored; 16 bytes per cell
  * Units      keys of any domain
  * Merge      unite the [[tuples]]
  */
private[chronosketch] abstract class CellCounts private[quantile] (layout: CellLayout) {
  private val segments = layout.segments
  private val shift = layout.shift

  // the count and the greatest key of each cell, side by side, since both are used together
  private val slots = new Array[Long](2 * (layout.cells + 1))
  private var counted = 0L
  clear()

  /** The least key of the range. */
  final def least: Long = layout.least
  protected final def cells: Int = layout.cells

  /** The number of counted values. */
  final def count: Long = counted

  final def sizeBytes: Long = Meter.longs(slots.length) + Meter.longs(segments.length)

  /** More values than this in a cell are too many if there are `total` in all cells. */
  protected def mostInCell(total: Long): Long

  /** Whether no cell has more than its limit after `inside` values were counted that come with n keys outside of the range. Called for
    * each addition, which is undone if it is not accepted.
    */
  protected def accepts(inside: Int, outside: Array[Long], n: Int): Boolean

  /** Whether `size` values after `before` counted ones need a pair of tuples: they are equal and more than the limit. */
  protected def isPair(before: Long, size: Long): Boolean

  /** Whether `size` values of several cells, after `before` counted ones, can be one tuple. */
  protected def isOneTuple(before: Long, size: Long): Boolean

  /** Counts the keys from `begin` until `end`, and moves those outside of the range to the front of this part of the array. Returns the
    * number of keys outside. Returns −1 and leaves the keys in place if some cell would have more than its limit.
    */
  final def add(keys: Array[Long], begin: Int, end: Int, outside: Array[Long]): Int = {
    // values outside are counted in an extra cell; starting very low, its count is never the greatest
    slots(2 * cells) = CellCounts.Unlimited
    val most = mostInCell(counted + end - begin)
    var o = 0
    var i = begin
    // counted in blocks: a crowded cell is noticed after the first few
    while (i < end && o >= 0) {
      val until = math.min(end, i + CellCounts.Block)
      o = addBlock(keys, i, until, outside, o, most)
      i = until
    }
    val inside = end - begin - o
    if (o < 0 || !accepts(inside, outside, o)) {
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
    val end = layout.span + Long.MinValue
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

  protected final def greatestSize: Long = {
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
    val span = layout.span
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

  /** The tuples of the counted values. Neighbouring cells are combined while they can be one tuple. A key that has a cell of its own
    * and more than the limit gets two tuples. The first tuple need not be the minimum.
    */
  final def tuples: Tuples = {
    val tuples = new Tuples
    tuples.reserve(mostTuples)
    var o = 0
    var before = 0L
    var pending = 0L
    var last = 0L
    def addTuple(weight: Long): Unit = {
      tuples.keys(o) = last
      tuples.gs(o) = weight
      before += weight
      o += 1
    }
    var cell = 0
    while (cell < cells) {
      val size = sizeOf(cell)
      if (size > 0) {
        val isPair = this.isPair(before + pending, size)
        if (pending > 0 && (isPair || !isOneTuple(before, pending + size))) {
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
  protected final def hasOneKey(cell: Int): Boolean = slots(2 * cell) < 0

  protected final def sizeOf(cell: Int): Long = {
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

  /** The first bag must have at least FewestAtOnce units of a sketch's size: of fewer, too many could fall into one cell by chance. */
  private val FewestAtOnce = 16

  /** The tuples must have FewestSeen units of values: then the values take more memory than the cells. */
  private val FewestSeen = 32

  /** The number of cells in units of a sketch's size. */
  private val Wanted = 8
  private val MostWanted = 1 << 18

  /** The number of values that are counted between two checks of the cell counts. */
  private val Block = 1024

  /** With fewer tuples, there may be no range between the second and the second-last one. */
  private val FewestTuples = 4

  /** The initial count of a cell that no limit applies to. */
  private final val Unlimited = Long.MinValue / 2

  def wanted(tolerance: Tolerance): Double = Wanted * tolerance.unit

  /** Whether counting n more values in cells pays off, after those that the tuples represent. */
  def isWorthwhile(tolerance: Tolerance, tuples: Tuples, n: Int): Boolean =
    tuples.isThinned && tuples.size >= FewestTuples && tuples.count >= FewestSeen * tolerance.unit &&
      n >= FewestAtOnce * tolerance.unit && wanted(tolerance) <= MostWanted
}

/** Counts values in cells that have at most ε of them each. */
private[quantile] final class UniformCells(layout: CellLayout, epsilon: Double)
    extends CellCounts(layout) {

  protected def mostInCell(total: Long): Long = ElementCount.share(epsilon, total)

  protected def accepts(inside: Int, outside: Array[Long], n: Int): Boolean =
    n == 0 || greatestSize <= ElementCount.share(epsilon, count + inside)

  protected def isPair(before: Long, size: Long): Boolean = size > ElementCount.share(epsilon, count)

  protected def isOneTuple(before: Long, size: Long): Boolean =
    size <= ElementCount.share(epsilon / 8, count)
}

private[quantile] object UniformCells {

  /** Creates cells for the keys between the second and the second-last tuple, so that rare outliers do not widen the range. The first
    * n keys of `sample` decide how fine the cells are. Returns null if half of them are outside of the range.
    */
  def create(tuples: Tuples, sample: Array[Long], n: Int, tolerance: UniformTolerance): UniformCells = {
    val wanted = CellCounts.wanted(tolerance)
    val cellsForKey = wanted / n
    val layout = CellLayout.create(tuples.keys(1), tuples.keys(tuples.size - 2), sample, n, wanted)(
      (_, size, _) => size * cellsForKey
    )
    if (layout == null) null else new UniformCells(layout, tolerance.epsilon)
  }
}
