package chronosketch.history.span

import java.util.Arrays

import chronosketch.history.live.LiveValues
import chronosketch.memory.Meter

/** Builds a counted span from the values alive at its first version and the changes since.
  *
  * Guarantee  at the end of each version all counters are within their tolerance, and cells that are too full have been split
  * Cost       a change takes a binary search for its cell, and touches the counters of [[CellBlocks]]
  * Source     Tao, Yi, Sheng, Pei, Li, Logging every footstep, SIGMOD 2010, §3.4
  *
  * A counter is written when its exact value differs from the last written value by more than the tolerance. If it keeps moving in one
  * direction, a value ahead of it is written.
  */
private[history] final class CountedSpanBuilder(first: Long, live: LiveValues, epsilon: Double, ranks: Long)
    extends SpanBuilder {
  private val maxCount = (live.count.toDouble * Tolerance.MaxShare).toLong
  private val width = math.max(1L, Tolerance.content(ranks) / 2)

  // number of elements before each cell but the first
  private val before = new LongList
  private val starts: Array[Long] = {
    val all = new LongList
    all.add(Long.MinValue)
    Cells.cut(live.walk, Long.MinValue, 0L, isEnded = false, width, all, before)
    all.toArray
  }
  private val cells = starts.length
  private val blocks = CellBlocks.of(cells)
  private val tolerance = Tolerance.of(ranks, blocks.height)

  // the exact value of each counter, and the value last written
  private var exact = new Array[Long](cells)
  private var written = new Array[Long](cells)
  private val initial = new Array[Long](cells)
  // how often in a row the counter was written because it had grown, or, negative, because it had fallen
  private var streaks = new Array[Int](cells)
  private var isMoved = new Array[Boolean](cells)
  private val moved, full = new LongList

  private val counts = new Array[Long](cells)
  private val isFull = new Array[Boolean](cells)
  private val parts = new Array[PartsOfCell](cells)
  private var partCount = 0
  // number of writes of the parts' counters after their first
  private var partWrites = 0

  private val writtenCounters, writtenVersions, writtenValues = new LongList

  private var least = live.least
  private var greatest = live.greatest
  private var maxAlive = live.count
  private var isSpent = false

  locally {
    def below(g: Int): Long = if (g == 0) 0L else if (g == cells) live.count else before(g - 1)
    var g = 0
    while (g < cells) {
      counts(g) = below(g + 1) - below(g)
      if (g > 0) exact(g) = below(g) - below(blocks.startOf(g))
      g += 1
    }
    exact(0) = live.count
    System.arraycopy(exact, 0, written, 0, cells)
    System.arraycopy(exact, 0, initial, 0, cells)
  }

  def change(key: Long, change: Long): Unit = {
    if (change > 0) {
      if (key < least) least = key
      if (key > greatest) greatest = key
    }
    add(0, change, tolerance.count)
    val cell = cellOf(key)
    var level = 0
    while (level < blocks.height) {
      val unit = blocks.unit(level)
      val end = blocks.end(level, blocks.start(level, cell))
      var g = cell - cell % unit + unit
      while (g < end) { add(g, change, tolerance.counter); g += unit }
      level += 1
    }
    counts(cell) += change
    val own = parts(cell)
    var part = 0
    if (own != null) {
      part = own.partOf(key)
      own.counts(part) += change
      var i = part
      while (i < own.size) { add(own.counters(i), change, tolerance.counter); i += 1 }
    }
    if (change > 0 && !isFull(cell) && isTooFull(cell, own, part)) {
      isFull(cell) = true
      full.add(cell.toLong)
    }
  }

  /** Whether a part of a cell must be split and can be. A part with only one possible key cannot: the next part begins right after it. */
  private def isTooFull(cell: Int, own: PartsOfCell, part: Int): Boolean =
    (if (own == null) counts(cell) else own.counts(part)) > tolerance.content &&
      !(isEnded(cell, own, part) && end(cell, own, part) - 1 == start(cell, own, part))

  private def start(cell: Int, own: PartsOfCell, part: Int): Long =
    if (part == 0) starts(cell) else own.starts(part - 1)
  private def end(cell: Int, own: PartsOfCell, part: Int): Long =
    if (own != null && part < own.size) own.starts(part) else if (cell + 1 < cells) starts(cell + 1) else 0L
  private def isEnded(cell: Int, own: PartsOfCell, part: Int): Boolean =
    (own != null && part < own.size) || cell + 1 < cells

  private def add(counter: Int, change: Long, allowed: Long): Unit = {
    val now = exact(counter) + change
    exact(counter) = now
    val off = now - written(counter)
    if ((off > allowed || off < -allowed) && !isMoved(counter)) {
      isMoved(counter) = true
      moved.add(counter.toLong)
    }
  }

  private def cellOf(key: Long): Int = {
    val found = Arrays.binarySearch(starts, key)
    if (found >= 0) found else -found - 2
  }

  def endVersion(version: Long): Boolean =
    !isSpent && live.count <= maxCount && tolerance.isWithin(epsilon, live.count) && {
      var i = 0
      while (i < full.size) {
        isFull(full(i).toInt) = false
        split(full(i).toInt, version)
        i += 1
      }
      full.truncate(0)
      i = 0
      while (i < moved.size) { write(moved(i).toInt, version); i += 1 }
      moved.truncate(0)
      if (live.count > maxAlive) maxAlive = live.count
      isSpent = partCount + partWrites > 2 * cells + CountedSpanBuilder.FreeWrites
      true
    }

  private def write(counter: Int, version: Long): Unit = {
    isMoved(counter) = false
    val allowed = if (counter == 0) tolerance.count else tolerance.counter
    val off = exact(counter) - written(counter)
    if (off > allowed || off < -allowed) {
      val streak = streaks(counter)
      val now = if (off > 0) math.max(1, streak + 1) else math.min(-1, streak - 1)
      streaks(counter) = now
      val ahead = (allowed.toDouble * (math.abs(now) - 1) / math.abs(now)).toLong
      written(counter) =
        if (off > 0) CountedSpan.plus(exact(counter), ahead) else math.max(0L, exact(counter) - ahead)
      log(counter, version)
      if (counter >= cells) partWrites += 1
    }
  }

  private def log(counter: Int, version: Long): Unit = {
    writtenCounters.add(counter.toLong)
    writtenVersions.add(version)
    writtenValues.add(written(counter))
  }

  private def split(cell: Int, version: Long): Unit = {
    if (parts(cell) == null) parts(cell) = new PartsOfCell(counts(cell))
    val own = parts(cell)
    var part = own.size
    while (part >= 0) {
      if (isTooFull(cell, own, part)) {
        val from = start(cell, own, part)
        val walk = live.walk
        walk.seek(from)
        val cuts, before = new LongList
        Cells.cut(walk, from, end(cell, own, part), isEnded(cell, own, part), width, cuts, before)
        insertParts(own, part, cuts, before, version)
      }
      part -= 1
    }
  }

  private def insertParts(
      own: PartsOfCell,
      part: Int,
      cuts: LongList,
      before: LongList,
      version: Long
  ): Unit = {
    val base = if (part == 0) 0L else exact(own.counters(part - 1))
    val from = cells + partCount
    partCount += cuts.size
    if (cells + partCount > exact.length) {
      val room = math.max(cells + partCount, exact.length + exact.length / 2)
      exact = Arrays.copyOf(exact, room)
      written = Arrays.copyOf(written, room)
      streaks = Arrays.copyOf(streaks, room)
      isMoved = Arrays.copyOf(isMoved, room)
    }
    own.insert(part, cuts, before, from)
    var i = 0
    while (i < cuts.size) {
      exact(from + i) = base + before(i)
      written(from + i) = exact(from + i)
      log(from + i, version)
      i += 1
    }
  }

  def finish(): Span = {
    val order = new Array[Int](partCount)
    val partStarts = new Array[Long](partCount)
    val partEnds = new Array[Int](cells)
    var n = 0
    var g = 0
    while (g < cells) {
      val own = parts(g)
      if (own != null) {
        var i = 0
        while (i < own.size) {
          partStarts(n) = own.starts(i)
          order(own.counters(i) - cells) = n
          n += 1
          i += 1
        }
      }
      partEnds(g) = n
      g += 1
    }
    new CountedSpan(
      first,
      starts,
      blocks,
      tolerance,
      new CellParts(partStarts, partEnds),
      tracks(order),
      least,
      greatest,
      maxAlive
    )
  }

  /** The writes grouped by counter. `order` gives the parts their order in the span. */
  private def tracks(order: Array[Int]): Tracks = {
    def track(counter: Int): Int = if (counter < cells) counter else cells + order(counter - cells)
    val ends = new Array[Int](cells + partCount)
    // counters of cells are written at the first version
    Arrays.fill(ends, 0, cells, 1)
    var i = 0
    while (i < writtenCounters.size) { ends(track(writtenCounters(i).toInt)) += 1; i += 1 }
    i = 1
    while (i < ends.length) { ends(i) += ends(i - 1); i += 1 }
    val next = new Array[Int](ends.length)
    System.arraycopy(ends, 0, next, 1, ends.length - 1)
    val writes = new Array[Long](Math.multiplyExact(2, ends(ends.length - 1)))
    def put(track: Int, version: Long, value: Long): Unit = {
      writes(2 * next(track)) = version
      writes(2 * next(track) + 1) = value
      next(track) += 1
    }
    i = 0
    while (i < cells) { put(i, first, initial(i)); i += 1 }
    i = 0
    while (i < writtenCounters.size) {
      put(track(writtenCounters(i).toInt), writtenVersions(i), writtenValues(i))
      i += 1
    }
    new Tracks(ends, writes)
  }

  def sizeBytes: Long =
    4 * Meter.longs(cells) + 3 * Meter.longs(exact.length) + 3 * Meter.longs(writtenValues.room) +
      5L * Meter.longs(partCount)
}

private[history] object CountedSpanBuilder {

  /** The span ends once parts and their writes exceed twice the number of cells plus this. */
  private val FreeWrites = 16
}
