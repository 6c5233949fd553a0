package chronosketch.history.span

import chronosketch.memory.Meter

/** Numbers that change from version to version: what was written of number i is from `ends(i − 1)` until `ends(i)`, by rising
  * version.
  *
  * @param writes version and value in turns: whoever has found the one finds the other in the same line of the cache
  */
private[history] final class Tracks(ends: Array[Int], writes: Array[Long]) {
  def size: Int = ends.length
  def from(i: Int): Int = if (i == 0) 0 else ends(i - 1)
  def until(i: Int): Int = ends(i)
  def version(j: Int): Long = writes(2 * j)
  def value(j: Int): Long = writes(2 * j + 1)

  /** The i-th number at a version; −1 before it was first written. */
  def at(i: Int, version: Long): Long = {
    val start = from(i)
    if (start == ends(i)) -1L else within(start, ends(i) - start, version)
  }

  /** Whether the i-th number has been written by then. */
  def isWritten(i: Int, version: Long): Boolean = from(i) < ends(i) && this.version(from(i)) <= version

  /** What a number was at a version, of which the last write by then is one of `size` from the j-th on, or none. */
  def within(j: Int, size: Int, version: Long): Long = {
    var found = j
    var left = size
    // no branch hangs on what is compared: which way it goes nobody could foresee
    while (left > 1) {
      val half = left >>> 1
      found = if (writes(2 * (found + half)) <= version) found + half else found
      left -= half
    }
    if (writes(2 * found) > version) -1L else writes(2 * found + 1)
  }

  def sizeBytes: Long = Meter.longs(writes.length) + Meter.longs(ends.length) / 2
}
