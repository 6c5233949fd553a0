package chronosketch.history.span

import chronosketch.memory.Meter

/** Numbers that change from version to version. The writes of number i are [ends(i − 1), ends(i)), sorted by version.
  *
  * @param writes version and value alternate, so that both are in the same cache line
  */
private[history] final class Tracks(ends: Array[Int], writes: Array[Long]) {
  def size: Int = ends.length
  def from(i: Int): Int = if (i == 0) 0 else ends(i - 1)
  def until(i: Int): Int = ends(i)
  def version(j: Int): Long = writes(2 * j)
  def value(j: Int): Long = writes(2 * j + 1)

  /** Number i at a version; −1 before it was first written. */
  def at(i: Int, version: Long): Long = {
    val start = from(i)
    if (start == ends(i)) -1L else valueAt(start, ends(i) - start, version)
  }

  /** Whether number i has been written at the version or before. */
  def isWritten(i: Int, version: Long): Boolean = from(i) < ends(i) && this.version(from(i)) <= version

  /** The value at a version, if its last write at or before the version is in [j, j + size); −1 if all these writes are later. */
  def valueAt(j: Int, size: Int, version: Long): Long = {
    var found = j
    var left = size
    // branch-free: the outcomes of the comparisons are unpredictable
    while (left > 1) {
      val half = left >>> 1
      found = if (writes(2 * (found + half)) <= version) found + half else found
      left -= half
    }
    if (writes(2 * found) > version) -1L else writes(2 * found + 1)
  }

  def sizeBytes: Long = Meter.longs(writes.length) + Meter.longs(ends.length) / 2
}
