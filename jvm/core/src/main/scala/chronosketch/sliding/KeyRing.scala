package chronosketch.sliding

import chronosketch.memory.Meter

/** A queue of keys: they come at one end and leave at the other.
  *
  * Cost  O(1) a key amortised; 8 bytes a key, and up to as much again for more
  */
private[chronosketch] final class KeyRing {
  private var keys = new Array[Long](16)
  private var head = 0

  var size = 0

  /** The i-th of those that are left, from 0. */
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

  /** All of them, from the array's first place on. */
  def copyTo(array: Array[Long]): Unit = {
    val first = math.min(size, keys.length - head)
    System.arraycopy(keys, head, array, 0, first)
    System.arraycopy(keys, 0, array, first, size - first)
  }

  def sizeBytes: Long = Meter.ObjectBytes + Meter.longs(keys.length)
}
