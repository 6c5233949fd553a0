package chronosketch.quantile

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** Which values of many copies came that no tuple has yet? Apart from [[Bag]], so that a copy costs nothing. */
private[chronosketch] final class HeavyCopies {
  private var keys, copies = new Array[Long](Bag.Smallest)
  private var size = 0
  private var total = 0L

  def count: Long = total
  def isEmpty: Boolean = total == 0
  def isFull: Boolean = size == keys.length
  def sizeBytes: Long = 2 * Meter.longs(keys.length)

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

  /** All of it as exact tuples; it is empty then. */
  def drain(): Tuples = {
    new PairSort().sort(keys, copies, size)
    val tuples = new Tuples
    tuples.reserve(2 * size)
    var i = 0
    while (i < size) {
      val key = keys(i)
      var weight = 0L
      while (i < size && keys(i) == key) { weight += copies(i); i += 1 }
      CountedTuples.add(tuples, key, weight)
    }
    tuples.count = total
    size = 0
    total = 0L
    tuples
  }
}
