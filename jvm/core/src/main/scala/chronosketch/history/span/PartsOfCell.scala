package chronosketch.history.span

import java.util.Arrays

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
