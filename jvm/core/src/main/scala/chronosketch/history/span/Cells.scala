package chronosketch.history.span

import java.util.Arrays

import chronosketch.history.live.LiveValues

/** Divides the live values into cells of at most `width` elements.
  *
  * Guarantee  a cell has at most `width` elements or one key: a key with more copies has a cell of its own, which ends before the next
  *            key that is possible
  * Cost       a pass over the keys
  *
  * A cell is given by the key at which it begins; the first cell begins at `start`.
  */
private[history] object Cells {

  /** Adds the beginnings of all cells but the first, and the number of elements before each.
    *
    * @param walk    stands at the first key at or above `start`
    * @param isEnded whether to stop at `end`; else the last key ends the last cell
    */
  def cut(
      walk: LiveValues#Walk,
      start: Long,
      end: Long,
      isEnded: Boolean,
      width: Long,
      starts: LongList,
      before: LongList
  ): Unit = {
    var open = start
    var inside, all = 0L
    while (!walk.atEnd && (!isEnded || walk.key < end)) {
      val key = walk.key
      val copies = walk.copies
      if (copies > width) {
        if (key != open) { starts.add(key); before.add(all) }
        open = key + 1
        inside = 0L
        if (key != Long.MaxValue && !(isEnded && open == end)) { starts.add(open); before.add(all + copies) }
      } else if (inside + copies > width && key != open) {
        starts.add(key)
        before.add(all)
        open = key
        inside = copies
      } else inside += copies
      all += copies
      walk.next()
    }
  }
}

/** Arranges cells in a tree of blocks.
  *
  * Guarantee  a block of level l has up to `fanout` blocks of level l + 1; a block of the last level has cells; level 0 is one block of
  *            all cells
  * Cost       a change touches fewer than height·fanout counters, half of them on average
  *
  * The boundary before cell g, 0 < g < cells, is inside exactly one block. Its counter counts the elements between the beginning of that
  * block and the boundary. So the rank of a boundary is the sum of at most `height` counters.
  */
private[history] final class CellBlocks(val cells: Int, val fanout: Int, val height: Int) {

  /** The number of cells in a child of a block, by the block's level. */
  private val units: Array[Int] = {
    val all = new Array[Int](height)
    var unit = 1L
    var level = height - 1
    while (level >= 0) { all(level) = unit.toInt; unit *= fanout; level -= 1 }
    all
  }

  def unit(level: Int): Int = units(level)

  /** The end (exclusive) of the block of a level that begins with cell `from`. */
  def end(level: Int, from: Int): Int =
    math.min(from.toLong + units(level).toLong * fanout, cells.toLong).toInt

  /** The first cell of the block of a level that contains a cell. */
  def start(level: Int, cell: Int): Int =
    if (level == 0) 0 else cell - cell % units(level - 1)

  /** The first cell of the block that a boundary is inside. */
  def startOf(boundary: Int): Int = {
    var level = 0
    while (boundary % units(level) != 0) level += 1
    start(level, boundary)
  }
}

private[history] object CellBlocks {

  /** The approximate number of children of a block. With fewer there are more levels, whose errors add up; with more a change touches more
    * counters.
    */
  private val Children = 10.0

  def of(cells: Int): CellBlocks = {
    val height = math.max(1, math.round(math.log(cells.toDouble) / math.log(Children)).toInt)
    var fanout = math.max(2, math.pow(cells.toDouble, 1.0 / height).toInt)
    while (math.pow(fanout.toDouble, height.toDouble) < cells) fanout += 1
    new CellBlocks(cells, fanout, height)
  }
}

/** The parts of a cell that was split. Part i > 0 begins at the key `starts(i − 1)`; the counter with the number `counters(i − 1)` counts
  * the elements of the cell before it. `counts(i)` is the number of elements in part i.
  */
private[history] final class PartsOfCell(count: Long) {
  var starts: Array[Long] = Array.emptyLongArray
  var counters: Array[Int] = Array.emptyIntArray
  var counts: Array[Long] = Array(count)
  def size: Int = starts.length

  def partOf(key: Long): Int = {
    val found = Arrays.binarySearch(starts, key)
    if (found >= 0) found + 1 else -found - 1
  }

  /** Splits a part at the given keys. `before` has, for each cut, how many of the part's elements are before it. */
  def insert(part: Int, cuts: LongList, before: LongList, firstCounter: Int): Unit = {
    val k = cuts.size
    val whole = counts(part)
    val (s, c, n) = (new Array[Long](size + k), new Array[Int](size + k), new Array[Long](size + k + 1))
    System.arraycopy(starts, 0, s, 0, part)
    System.arraycopy(starts, part, s, part + k, size - part)
    System.arraycopy(counters, 0, c, 0, part)
    System.arraycopy(counters, part, c, part + k, size - part)
    System.arraycopy(counts, 0, n, 0, part)
    System.arraycopy(counts, part + 1, n, part + k + 1, size - part)
    var i = 0
    while (i <= k) {
      if (i < k) { s(part + i) = cuts(i); c(part + i) = firstCounter + i }
      n(part + i) = (if (i == k) whole else before(i)) - (if (i == 0) 0L else before(i - 1))
      i += 1
    }
    starts = s
    counters = c
    counts = n
  }
}

/** A growing array of longs. */
private[history] final class LongList {
  private var numbers = new Array[Long](16)
  private var n = 0

  def size: Int = n
  def room: Int = numbers.length
  def apply(i: Int): Long = numbers(i)

  def add(number: Long): Unit = {
    if (n == numbers.length) numbers = Arrays.copyOf(numbers, 2 * n)
    numbers(n) = number
    n += 1
  }

  /** Keeps only the first `size` numbers. */
  def truncate(size: Int): Unit = n = size
  def toArray: Array[Long] = Arrays.copyOf(numbers, n)
}
