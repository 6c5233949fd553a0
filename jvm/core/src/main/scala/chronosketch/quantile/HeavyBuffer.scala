package chronosketch.quantile

import java.util.Arrays

import chronosketch.sort.PairSort
import chronosketch.summary.Meter

/** Keys with numbers of copies, in order of arrival. */
private[chronosketch] final class HeavyBuffer(initial: Int) {
  private var keys, copies = new Array[Long](initial)
  private var size = 0
  private var total = 0L

  def count: Long = total
  def isFull: Boolean = size == keys.length
  def bytes: Long = 2 * Meter.longs(keys.length)

  /** Makes room for more; false where there are `most` already. */
  def grow(most: Int): Boolean = keys.length < most && {
    val room = math.min(most.toLong, keys.length * 4L).toInt
    keys = Arrays.copyOf(keys, room)
    copies = Arrays.copyOf(copies, room)
    true
  }

  def add(key: Long, number: Long): Unit = {
    keys(size) = key
    copies(size) = number
    size += 1
    total += number
  }

  def clear(): Unit = { size = 0; total = 0L }

  /** Its elements as exact tuples in an empty summary: a key of w copies is (v, 1, 0) and (v, w − 1, 0). */
  def bag(empty: GreenwaldKhanna): GreenwaldKhanna = {
    new PairSort().sort(keys, copies, size)
    val k, g = new Array[Long](2 * size)
    var o = 0
    var i = 0
    while (i < size) {
      val key = keys(i)
      var weight = 0L
      while (i < size && keys(i) == key) { weight += copies(i); i += 1 }
      k(o) = key
      g(o) = 1L
      o += 1
      if (weight > 1) {
        k(o) = key
        g(o) = weight - 1
        o += 1
      }
    }
    empty.restore(k, g, new Array[Long](k.length), o, total)
    empty
  }
}
