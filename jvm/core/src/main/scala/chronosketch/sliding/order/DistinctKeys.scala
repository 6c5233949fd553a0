package chronosketch.sliding.order

import chronosketch.sort.PairSort

/** Which distinct keys does a stretch of elements have, and which of them has each element?
  *
  * Cost  one sort of the stretch
  *
  * One a thread: its room is used again from stretch to stretch.
  */
private[order] final class DistinctKeys {
  private val sorter = new PairSort
  private var sorted = Array.emptyLongArray
  private var order = Array.emptyIntArray

  /** The distinct keys, rising. Entries from [[count]] on mean nothing. */
  var keys = Array.emptyLongArray

  /** Of the i-th element of the stretch: where its key stands in `keys`. */
  var numbers = Array.emptyIntArray

  /** How many distinct keys there are. */
  var count = 0

  /** Looks at n elements from `start` on. */
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
