package chronosketch.bucketing

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** Buffers the rows inserted since the last join.
  *
  * Cost   two stores per row. Before a join, rows that are not in time order are sorted; ties are computed only for rows of equal time
  * Units  positions as in [[Grid]]; a row is stored as its time and its key, which determines its tie
  */
private[chronosketch] final class RowBlock {
  var times, keys: Array[Long] = new Array[Long](RowBlock.MinCapacity)
  var size = 0

  def isFull: Boolean = size == times.length

  def tie(i: Int): Long = Tie.of(keys(i))

  /** Doubles the capacity. */
  def grow(): Unit = resize(2 * times.length)

  /** Doubles the capacity until `more` rows fit, but stops once it is at least `limit`. */
  def reserve(more: Int, limit: Long): Unit = {
    var capacity = times.length
    while (capacity < size.toLong + more && capacity < limit) capacity *= 2
    if (capacity > times.length) resize(capacity)
  }

  private def resize(capacity: Int): Unit = {
    times = Arrays.copyOf(times, capacity)
    keys = Arrays.copyOf(keys, capacity)
  }

  def add(time: Long, key: Long): Unit = {
    times(size) = time
    keys(size) = key
    size += 1
  }

  def room: Int = times.length - size

  /** Appends rows [from, until). The caller has checked that they fit. */
  def addAll(rowTimes: Array[Long], rowKeys: Array[Long], from: Int, until: Int): Unit = {
    System.arraycopy(rowTimes, from, times, size, until - from)
    System.arraycopy(rowKeys, from, keys, size, until - from)
    size += until - from
  }

  /** Sorts the rows by time, and rows of equal time by tie. */
  def sort(): Unit = {
    val t = times
    var i = 1
    while (i < size && t(i - 1) <= t(i)) i += 1
    if (i < size && !sortRuns(i)) new PairSort().sort(t, keys, size)
    i = 1
    while (i < size) {
      if (times(i - 1) == times(i)) i = sortOneTime(i - 1)
      i += 1
    }
  }

  /** Sorts the rows if they consist of at most [[RowBlock.MaxRuns]] sorted runs that do not overlap in time, as the parts of a query often
    * do: then copying the runs in order suffices. The first run ends at `first`. Returns false, without a change, if they do not.
    */
  private def sortRuns(first: Int): Boolean = {
    val starts = new Array[Int](RowBlock.MaxRuns + 1)
    starts(1) = first
    var runs = 2
    var i = first + 1
    while (i < size && runs <= RowBlock.MaxRuns) {
      if (times(i - 1) > times(i)) { starts(math.min(runs, RowBlock.MaxRuns)) = i; runs += 1 }
      i += 1
    }
    runs <= RowBlock.MaxRuns && {
      starts(runs) = size
      val order = Array.range(0, runs).sortBy(r => times(starts(r)))
      val areApart =
        (1 until runs).forall(r => times(starts(order(r - 1) + 1) - 1) <= times(starts(order(r))))
      if (areApart) copyRuns(order, starts)
      areApart
    }
  }

  private def copyRuns(order: Array[Int], starts: Array[Int]): Unit = {
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

  /** Sorts the rows that have the same time as row `from`, the first of them, by tie. Returns the index after the last of them. */
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

  /** The first row in [from, until) at or after the position; `until` if there is none. Requires sorted rows. */
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

  private def isBefore(rowTime: Long, i: Int, time: Long, tie: Long): Boolean =
    rowTime < time || (rowTime == time && tie != Long.MinValue && this.tie(i) < tie)

  /** How many rows have this time or an earlier one. Requires sorted rows. */
  def until(time: Long): Int = {
    var n = 0
    while (n < size && times(n) <= time) n += 1
    n
  }

  /** Removes the first n rows. */
  def drop(n: Int): Unit = if (n > 0) {
    System.arraycopy(times, n, times, 0, size - n)
    System.arraycopy(keys, n, keys, 0, size - n)
    size -= n
  }

  def clear(): Unit = size = 0

  def sizeBytes: Long = 2 * Meter.longs(times.length)
}

private[chronosketch] object RowBlock {
  val MinCapacity = 16

  /** With more sorted runs than this, rows are sorted instead of copied run by run. */
  private val MaxRuns = 16

  /** A block does not grow beyond this, unless there are many buckets. */
  val MaxCapacity: Int = 1 << 16
}
