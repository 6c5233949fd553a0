package chronosketch.window.sample

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sample.TopPriorities
import chronosketch.sort.PairSort

/** The rows from which a sample of any window that ends at the newest row can be made.
  *
  * Guarantee  after [[pruneAndSort]], a row is stored if and only if its priority is one of the `most` least among all rows that
  *            are not older, whatever the order of arrival and of merges. If priorities are equal, that of the newer row counts
  *            as less
  * Cost       expected most·(1 + ln(n/most)) of n rows; 24 bytes each plus half as much spare capacity. All are visited when the
  *            arrays are full, and then at least a third of the capacity is free; a row that is too old to be stored costs a
  *            search among 64 limits
  * Units      a priority has 63 bits
  * Merge      [[addAll]]: a row that either side has removed has `most` rows ahead of it there
  * Source     Babcock, Datar, Motwani 2002, priority sampling of sliding windows; Gemulla, Lehner 2008, its size; Meijer 2011,
  *            §4.5; departs: rows of one time are one group, no row expires
  */
private[sample] final class RetainedRows(initialMost: Int) {
  import RetainedRows._

  private var most = initialMost

  // the first `sortedSize` rows are in order of time, priority and key
  var times, priorities, keys: Array[Long] = Array.emptyLongArray
  var size = 0
  private var sortedSize = 0
  private var isPruned = true

  // for rows of a time or later: the greatest of their least priorities; newest first
  private val limitTimes, limits = new Array[Long](Limits)
  private var limitCount = 0

  /** A row of this time with a greater priority cannot be in a sample. */
  def limit(time: Long): Long =
    if (limitCount == 0 || time > limitTimes(0)) Long.MaxValue
    else {
      var low = 0
      var high = limitCount
      // find the last limit whose time is not earlier
      while (high - low > 1) {
        val mid = (low + high) >>> 1
        if (limitTimes(mid) >= time) low = mid else high = mid
      }
      limits(low)
    }

  /** Adds a row, unless [[limit]] excludes it. Returns true if the arrays are now full. */
  def add(time: Long, priority: Long, key: Long): Boolean =
    priority <= limit(time) && {
      if (times.length == 0) grow(Fewest.toLong)
      times(size) = time
      priorities(size) = priority
      keys(size) = key
      size += 1
      size == times.length
    }

  def isFull: Boolean = size == times.length

  /** Takes the first n rows of these arrays, in any order. The arrays belong to this object from now on. There must be no rows yet. */
  def setAll(rowTimes: Array[Long], rowPriorities: Array[Long], rowKeys: Array[Long], n: Int): Unit = {
    times = rowTimes
    priorities = rowPriorities
    keys = rowKeys
    size = n
    isPruned = false
  }

  def addAll(that: RetainedRows): Unit = {
    var i = 0
    while (i < that.size) {
      if (add(that.times(i), that.priorities(i), that.keys(i))) makeRoom(hasEnd = false, 0L)
      i += 1
    }
  }

  /** Reduces `most`, the number of least priorities that are stored. */
  def reduceMost(fewer: Int): Unit = if (fewer < most) {
    most = fewer
    isPruned = false
  }

  /** Makes room for at least one row. Removes rows that are not needed if there are enough of them.
    *
    * @param hasEnd whether rows up to the time `until` are too old to be stored
    */
  def makeRoom(hasEnd: Boolean, until: Long): Unit = {
    if (size > most) pruneAndSort(hasEnd, until)
    if (size > times.length - times.length / 3) grow(size + size / 2L)
  }

  private def grow(room: Long): Unit = {
    val length = math.min(room, MostRoom.toLong).toInt
    times = Arrays.copyOf(times, length)
    priorities = Arrays.copyOf(priorities, length)
    keys = Arrays.copyOf(keys, length)
  }

  /** Removes all rows that are not needed, and sorts the others. */
  def pruneAndSort(hasEnd: Boolean, until: Long): Unit = {
    if (!isPruned || sortedSize != size) {
      sort()
      prune()
    }
    if (hasEnd && size > 0 && times(0) <= until) drop(firstAfter(until))
    sortedSize = size
    isPruned = true
  }

  /** Makes room for n rows and a few more. There must be no rows yet. */
  def reserve(n: Int): Unit = if (n >= times.length) grow(n + n / 4L + Fewest)

  /** Adds a stored row. Rows must be in order, and there must be room. */
  def restore(time: Long, priority: Long, key: Long): Unit = {
    times(size) = time
    priorities(size) = priority
    keys(size) = key
    size += 1
  }

  /** Whether rows of the same time are in order, given that the times are. */
  def isInOrder: Boolean = {
    var i = 1
    while (i < size && !(times(i) == times(i - 1) && isBefore(i, i - 1))) i += 1
    i >= size
  }

  /** Index of the first later row. The rows must be sorted. */
  def firstAfter(time: Long): Int = {
    var low = 0
    var high = size
    while (low < high) {
      val mid = (low + high) >>> 1
      if (times(mid) > time) high = mid else low = mid + 1
    }
    low
  }

  private def drop(n: Int): Unit = {
    System.arraycopy(times, n, times, 0, size - n)
    System.arraycopy(priorities, n, priorities, 0, size - n)
    System.arraycopy(keys, n, keys, 0, size - n)
    size -= n
  }

  private def sort(): Unit = {
    var i = 1
    while (i < size && times(i - 1) <= times(i)) i += 1
    if (i < size) {
      val order = Array.range(0, size)
      new PairSort().sort(times, order, 0, size)
      priorities = ordered(priorities, order)
      keys = ordered(keys, order)
    }
    var from = 0
    while (from < size) {
      var until = from + 1
      while (until < size && times(until) == times(from)) until += 1
      if (until - from > 1) sortGroup(from, until)
      from = until
    }
  }

  private def ordered(numbers: Array[Long], order: Array[Int]): Array[Long] = {
    val result = new Array[Long](numbers.length)
    var i = 0
    while (i < order.length) { result(i) = numbers(order(i)); i += 1 }
    result
  }

  /** Sorts rows of the same time by priority, then by key. */
  private def sortGroup(from: Int, until: Int): Unit = {
    var i = from + 1
    while (i < until && !isBefore(i, i - 1)) i += 1
    if (i < until) {
      val own = Arrays.copyOfRange(priorities, from, until)
      val carried = Arrays.copyOfRange(keys, from, until)
      new PairSort().sortByBoth(own, carried, until - from)
      System.arraycopy(own, 0, priorities, from, own.length)
      System.arraycopy(carried, 0, keys, from, own.length)
    }
  }

  private def isBefore(i: Int, j: Int): Boolean =
    priorities(i) < priorities(j) || (priorities(i) == priorities(j) && keys(i) < keys(j))

  /** Removes rows that are not needed, from the newest to the oldest. Among rows of the same time those that are needed come first.
    */
  private def prune(): Unit = {
    val least = new TopPriorities(most)
    val every = math.max(1, size / (Limits - 1))
    limitCount = 0
    var sinceLimit = 0
    var write = size
    var until = size
    while (until > 0) {
      var from = until - 1
      val time = times(from)
      while (from > 0 && times(from - 1) == time) from -= 1
      var kept = from
      // TopPriorities keeps the greatest numbers; the complement turns these into the least priorities
      while (kept < until && least.offer(~priorities(kept))) kept += 1
      val count = kept - from
      write -= count
      if (count == 1) {
        times(write) = time
        priorities(write) = priorities(from)
        keys(write) = keys(from)
      } else if (count > 1) {
        System.arraycopy(times, from, times, write, count)
        System.arraycopy(priorities, from, priorities, write, count)
        System.arraycopy(keys, from, keys, write, count)
      }
      sinceLimit += until - from
      if (sinceLimit >= every && least.least != Long.MinValue) {
        addLimit(time, ~least.least)
        sinceLimit = 0
      }
      until = from
    }
    if (write > 0) drop(write)
  }

  private def addLimit(time: Long, limit: Long): Unit =
    if (limitCount < Limits) {
      limitTimes(limitCount) = time
      limits(limitCount) = limit
      limitCount += 1
    }

  def sizeBytes: Long = Meter.ObjectBytes + 3 * Meter.longs(times.length) + 2 * Meter.longs(Limits)
}

private object RetainedRows {
  val Fewest = 16
  val Limits = 64

  /** Longest array that every JVM can allocate. */
  val MostRoom: Int = Int.MaxValue - 8
}
