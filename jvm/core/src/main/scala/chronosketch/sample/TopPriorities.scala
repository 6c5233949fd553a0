package chronosketch.sample

import chronosketch.memory.Meter

/** Keeps the k greatest of the priorities offered, in a heap whose root is the least of them.
  *
  * Cost  O(log k) for a priority that is among them, otherwise one comparison; 8 bytes each
  */
private[chronosketch] final class TopPriorities(k: Int) {
  private var heap = new Array[Long](math.min(k, 16))
  private var size = 0

  def clear(): Unit = size = 0

  /** The k-th greatest priority, or Long.MinValue if fewer were offered. */
  def least: Long = if (size < k) Long.MinValue else heap(0)

  /** Offers a priority. Returns whether it is now among the k greatest. */
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

  /** Replaces the root. The lesser of two children is chosen without a branch, because no processor predicts which it is. */
  private def sink(priority: Long): Unit = {
    val all = heap
    val last = size - 1
    var at = 0
    var child = 1
    var isPlaced = false
    while (child < last && !isPlaced) {
      val (left, right) = (all(child), all(child + 1))
      val least = math.min(left, right)
      if (least < priority) {
        all(at) = least
        at = if (right < left) child + 1 else child
        child = 2 * at + 1
      } else isPlaced = true
    }
    // a last child without a sibling
    if (child == last && all(child) < priority) {
      all(at) = all(child)
      at = child
    }
    all(at) = priority
  }

  def sizeBytes: Long = Meter.ObjectBytes + Meter.longs(heap.length)
}
