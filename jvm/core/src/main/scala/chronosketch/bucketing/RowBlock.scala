package chronosketch.bucketing

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** Which rows came since the last time buckets were made?
  *
  * Cost   a row: two stores; rows in time order are only looked through, others sorted, when buckets are made. Ties are made where
  *        times are equal, and nowhere else
  * Units  positions as in [[Grid]]; of a row its key, which tells its tie
  */
private[chronosketch] final class RowBlock {
  var times, keys: Array[Long] = new Array[Long](RowBlock.Fewest)
  var size = 0

  def isFull: Boolean = size == times.length

  def tie(i: Int): Long = Tie.of(keys(i))

  /** Doubles the room for rows. */
  def grow(): Unit = resize(2 * times.length)

  /** Room for `more` rows, doubled as often as it takes, but no more once there is room for `most`. */
  def reserve(more: Int, most: Long): Unit = {
    var wanted = times.length
    while (wanted < size.toLong + more && wanted < most) wanted *= 2
    if (wanted > times.length) resize(wanted)
  }

  private def resize(wanted: Int): Unit = {
    times = Arrays.copyOf(times, wanted)
    keys = Arrays.copyOf(keys, wanted)
  }

  def add(time: Long, key: Long): Unit = {
    times(size) = time
    keys(size) = key
    size += 1
  }

  def room: Int = times.length - size

  /** Rows from `from` until `until` of others, for which there is room. */
  def addAll(rowTimes: Array[Long], rowKeys: Array[Long], from: Int, until: Int): Unit = {
    System.arraycopy(rowTimes, from, times, size, until - from)
    System.arraycopy(rowKeys, from, keys, size, until - from)
    size += until - from
  }

  /** By time, and by tie where that is equal. */
  def sort(): Unit = {
    val t = times
    var i = 1
    while (i < size && t(i - 1) <= t(i)) i += 1
    if (i < size && !arrangeRuns(i)) new PairSort().sort(t, keys, size)
    i = 1
    while (i < size) {
      if (times(i - 1) == times(i)) i = sortOneTime(i - 1)
      i += 1
    }
  }

  /** Whether the rows are a few runs in order of time, none of which reaches into another, as parts of a query are: then they are
    * put behind each other. The first of the runs ends at `first`.
    */
  private def arrangeRuns(first: Int): Boolean = {
    val starts = new Array[Int](RowBlock.FewRuns + 1)
    starts(1) = first
    var runs = 2
    var i = first + 1
    while (i < size && runs <= RowBlock.FewRuns) {
      if (times(i - 1) > times(i)) { starts(math.min(runs, RowBlock.FewRuns)) = i; runs += 1 }
      i += 1
    }
    runs <= RowBlock.FewRuns && {
      starts(runs) = size
      val order = Array.range(0, runs).sortBy(r => times(starts(r)))
      val areApart =
        (1 until runs).forall(r => times(starts(order(r - 1) + 1) - 1) <= times(starts(order(r))))
      if (areApart) arrange(order, starts)
      areApart
    }
  }

  private def arrange(order: Array[Int], starts: Array[Int]): Unit = {
    val (toTimes, toKeys) = (new Array[Long](times.length), new Array[Long](keys.length))
    var o = 0
    order.foreach { run =>
      val n = starts(run + 1) - starts(run)
      System.arraycopy(times, starts(run), toTimes, o, n)
      System.arraycopy(keys, starts(run), toKeys, o, n)
      o += n
    }
    times = toTimes
    keys = toKeys
  }

  /** The rows of one time, the first of which is given; where they end. */
  private def sortOneTime(from: Int): Int = {
    var until = from + 1
    while (until < size && times(until) == times(from)) until += 1
    var i = from
    while (i < until) { keys(i) = Tie.of(keys(i)); i += 1 }
    Arrays.sort(keys, from, until)
    i = from
    while (i < until) { keys(i) = Tie.key(keys(i)); i += 1 }
    until
  }

  /** The first row from `from` until `until`, once sorted, at the position or after it. */
  def firstFrom(from: Int, until: Int, time: Long, tie: Long): Int = {
    val t = times
    var low = from
    var high = until
    while (low < high) {
      val mid = (low + high) >>> 1
      if (isBefore(t(mid), mid, time, tie)) low = mid + 1 else high = mid
    }
    low
  }

  private def isBefore(at: Long, i: Int, time: Long, tie: Long): Boolean =
    at < time || (at == time && tie != Long.MinValue && this.tie(i) < tie)

  /** How many rows, once sorted, are of this time or before. */
  def until(time: Long): Int = {
    var n = 0
    while (n < size && times(n) <= time) n += 1
    n
  }

  /** Without the first n. */
  def drop(n: Int): Unit = if (n > 0) {
    System.arraycopy(times, n, times, 0, size - n)
    System.arraycopy(keys, n, keys, 0, size - n)
    size -= n
  }

  def clear(): Unit = size = 0

  def sizeBytes: Long = 2 * Meter.longs(times.length)
}

private[chronosketch] object RowBlock {
  val Fewest = 16

  /** So many runs are put behind each other at most. */
  private val FewRuns = 16

  /** Rows may be so many out of order. */
  val Most: Int = 1 << 16
}
