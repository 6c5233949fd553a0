package chronosketch.quantile

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** Buffers inserted values that have many copies, with their counts, until they are moved into tuples. The [[Bag]] would store each
  * copy.
  */
private[chronosketch] final class HeavyCopies {
  private var keys, copies = new Array[Long](Bag.Smallest)
  private var size = 0
  private var total = 0L

  def count: Long = total
  def isEmpty: Boolean = total == 0
  def isFull: Boolean = size == keys.length
  def sizeBytes: Long = 2 * Meter.longs(keys.length)

  /** Makes room for more values. Returns false if there is room for `most` already. */
  def grow(most: Int): Boolean = keys.length < most && {
    val room = math.min(most.toLong, keys.length * 4L).toInt
    keys = Arrays.copyOf(keys, room)
    copies = Arrays.copyOf(copies, room)
    true
  }

  def add(key: Long, count: Long): Unit = {
    keys(size) = key
    copies(size) = count
    size += 1
    total += count
  }

  /** Removes all values and returns them as exact tuples. */
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
