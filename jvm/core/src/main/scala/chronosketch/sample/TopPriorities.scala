package chronosketch.sample

import chronosketch.memory.Meter

/** Which are the k greatest of the priorities that came? A heap with the least of them at its root.
  *
  * Cost  O(log k) where one comes that is among them, a comparison otherwise; 8 bytes each
  */
private[chronosketch] final class TopPriorities(k: Int) {
  private var heap = new Array[Long](math.min(k, 16))
  private var size = 0

  def clear(): Unit = size = 0

  /** The k-th greatest, or below all where fewer came. */
  def least: Long = if (size < k) Long.MinValue else heap(0)

  /** Whether this one is among them now. */
  def offer(priority: Long): Boolean =
    if (size < k) {
      if (size == heap.length) heap = java.util.Arrays.copyOf(heap, math.min(k.toLong, 2L * size).toInt)
      rise(size, priority)
      size += 1
      true
    } else priority > heap(0) && {
      sink(priority)
      true
    }

  private def rise(from: Int, priority: Long): Unit = {
    var at = from
    while (at > 0 && heap((at - 1) >>> 1) > priority) {
      heap(at) = heap((at - 1) >>> 1)
      at = (at - 1) >>> 1
    }
    heap(at) = priority
  }

  private def sink(priority: Long): Unit = {
    var at = 0
    var child = 1
    while (child < size) {
      if (child + 1 < size && heap(child + 1) < heap(child)) child += 1
      if (heap(child) < priority) {
        heap(at) = heap(child)
        at = child
        child = 2 * at + 1
      } else child = size
    }
    heap(at) = priority
  }

  def sizeBytes: Long = Meter.ObjectBytes + Meter.longs(heap.length)
}
