package chronosketch.sliding

import chronosketch.memory.Meter

/** Grows work arrays: returns the array itself if it is long enough, otherwise a new one. A new array is at least half as long
  * again, because the demand of successive runs grows in small steps. The old contents are not copied.
  */
private[chronosketch] object WorkArrays {
  def atLeast(array: Array[Long], needed: Int): Array[Long] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  def atLeast(array: Array[Int], needed: Int): Array[Int] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  def atLeast(array: Array[Byte], needed: Int): Array[Byte] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  def atLeast(array: Array[Double], needed: Int): Array[Double] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  /** If the sum overflows, it is negative and `needed` wins. */
  private def grown(length: Int, needed: Int): Int = math.max(needed, length + (length >> 1))
}

/** A queue of keys in a circular array: keys are appended at one end and removed at the other.
  *
  * Cost  O(1) per key, amortised; 8 bytes per key, and at most as much again of spare capacity
  */
private[chronosketch] final class KeyRing {
  private var keys = new Array[Long](16)
  private var head = 0

  var size = 0

  /** The i-th oldest key, counted from 0. */
  def apply(i: Int): Long = keys((head + i) & (keys.length - 1))

  def append(key: Long): Unit = {
    if (size == keys.length) {
      val wider = new Array[Long](2 * size)
      copyTo(wider)
      keys = wider
      head = 0
    }
    keys((head + size) & (keys.length - 1)) = key
    size += 1
  }

  def removeHead(n: Int): Unit = {
    head = (head + n) & (keys.length - 1)
    size -= n
  }

  /** Copies all keys, oldest first, to the beginning of the array. */
  def copyTo(array: Array[Long]): Unit = {
    val first = math.min(size, keys.length - head)
    System.arraycopy(keys, head, array, 0, first)
    System.arraycopy(keys, 0, array, first, size - first)
  }

  def sizeBytes: Long = Meter.ObjectBytes + Meter.longs(keys.length)
}
