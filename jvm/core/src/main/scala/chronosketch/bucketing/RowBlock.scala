package chronosketch.bucketing

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** Which rows came since the last time buckets were made?
  *
  * Cost   a row: two stores; rows in time order are only looked through, others sorted, when buckets are made
  * Units  positions as in [[Grid]]
  */
private[chronosketch] final class RowBlock {
  var times, ties: Array[Long] = new Array[Long](RowBlock.Fewest)
  var size = 0

  def isFull: Boolean = size == times.length

  def grow(): Unit = {
    times = Arrays.copyOf(times, 2 * size)
    ties = Arrays.copyOf(ties, 2 * size)
  }

  def add(time: Long, tie: Long): Unit = {
    times(size) = time
    ties(size) = tie
    size += 1
  }

  def room: Int = times.length - size

  /** Rows from `from` until `until` of others, for which there is room, told by their keys. */
  def addAll(rowTimes: Array[Long], rowKeys: Array[Long], from: Int, until: Int): Unit = {
    System.arraycopy(rowTimes, from, times, size, until - from)
    val to = ties
    var o = size
    var i = from
    while (i < until) { to(o) = Tie.of(rowKeys(i)); o += 1; i += 1 }
    size = o
  }

  /** By time, and by tie where that is equal. */
  def sort(): Unit = {
    var i = 1
    while (i < size && times(i - 1) <= times(i)) i += 1
    if (i < size) new PairSort().sort(times, ties, size)
    var from = 0
    while (from < size) {
      var until = from + 1
      while (until < size && times(until) == times(from)) until += 1
      if (until - from > 1) Arrays.sort(ties, from, until)
      from = until
    }
  }

  /** The first row from `from` until `until`, once sorted, at the position or after it. */
  def firstFrom(from: Int, until: Int, time: Long, tie: Long): Int = {
    var low = from
    var high = until
    while (low < high) {
      val mid = (low + high) >>> 1
      if (Grid.isBefore(times(mid), ties(mid), time, tie)) low = mid + 1 else high = mid
    }
    low
  }

  /** How many rows, once sorted, are of this time or before. */
  def until(time: Long): Int = {
    var n = 0
    while (n < size && times(n) <= time) n += 1
    n
  }

  /** Without the first n. */
  def drop(n: Int): Unit = if (n > 0) {
    System.arraycopy(times, n, times, 0, size - n)
    System.arraycopy(ties, n, ties, 0, size - n)
    size -= n
  }

  def clear(): Unit = size = 0

  def sizeBytes: Long = 2 * Meter.longs(times.length)
}

private[chronosketch] object RowBlock {
  val Fewest = 16

  /** Rows may be so many out of order. */
  val Most: Int = 1 << 16
}
