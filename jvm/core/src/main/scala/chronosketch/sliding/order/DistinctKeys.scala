package chronosketch.sliding.order

import chronosketch.sort.PairSort

/** Maps each element of a stretch to its distinct key.
  *
  * Cost  one sort of the stretch
  *
  * Not thread-safe: work arrays are reused from stretch to stretch.
  */
private[order] final class DistinctKeys {
  private val sorter = new PairSort
  private var sorted = Array.emptyLongArray
  private var order = Array.emptyIntArray

  /** The distinct keys in ascending order. Entries from [[count]] on are meaningless. */
  var keys = Array.emptyLongArray

  /** numbers(i) is the index in `keys` of the key of the stretch's i-th element. */
  var numbers = Array.emptyIntArray

  /** Number of distinct keys. */
  var count = 0

  /** Reads n elements, beginning at `start`. */
  def read(all: Array[Long], start: Int, n: Int): Unit = {
    if (n > numbers.length) {
      val room = n + n / 4
      sorted = new Array[Long](room)
      order = new Array[Int](room)
      keys = new Array[Long](room)
      numbers = new Array[Int](room)
    }
    System.arraycopy(all, start, sorted, 0, n)
    var i = 0
    while (i < n) { order(i) = i; i += 1 }
    sorter.sort(sorted, order, 0, n)
    var last = -1
    i = 0
    while (i < n) {
      val key = sorted(i)
      if (i == 0 || key != keys(last)) {
        last += 1
        keys(last) = key
      }
      numbers(order(i)) = last
      i += 1
    }
    count = last + 1
  }
}
