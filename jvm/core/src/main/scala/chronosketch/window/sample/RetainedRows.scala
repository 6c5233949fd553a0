package chronosketch.window.sample

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sample.TopPriorities
import chronosketch.sort.PairSort

/** Of which rows is the sample of any window made that ends at the newest row?
  *
  * Guarantee  once [[settle]]d, a row is here if it is one of the `most` with the least priorities of all rows that are not older:
  *            whatever the order they came in, and whatever was united with what. Of equal priorities the newer one is less
  * Cost       expected, of n rows most·(1 + ln(n/most)); 24 bytes each and half as many again. Every third row or so all are looked at;
  *            a row that is too old to be kept takes a search among 64 limits
  * Units      a priority has 63 bits
  * Merge      [[addAll]]: a row that either side has left out has `most` rows before it there
  * Source     Babcock, Datar, Motwani 2002, priority sampling of sliding windows; Gemulla, Lehner 2008, its size; Meijer 2011, §4.5;
  *            departs: rows of one time are one group, no row expires
  */
private[sample] final class KeptRows(initialMost: Int) {
  import KeptRows._

  private var most = initialMost

  // in order of time, then priority, then key, as far as they are settled
  var times, priorities, keys: Array[Long] = new Array[Long](Fewest)
  var size = 0
  private var settled = 0
  private var isOrdered = true

  // of rows that are as new as a time or newer, the greatest priority that is among the least: newest first
  private val limitTimes, limits = new Array[Long](Limits)
  private var limitCount = 0

  /** No row of this time and a greater priority is kept. */
  def limit(time: Long): Long =
    if (limitCount == 0 || time > limitTimes(0)) Long.MaxValue
    else {
      var low = 0
      var high = limitCount
      // the last that is as new
      while (high - low > 1) {
        val mid = (low + high) >>> 1
        if (limitTimes(mid) >= time) low = mid else high = mid
      }
      limits(low)
    }

  /** Adds a row, if it can be kept; then whether room must be made for the next. */
  def add(time: Long, priority: Long, key: Long): Boolean =
    priority <= limit(time) && {
      times(size) = time
      priorities(size) = priority
      keys(size) = key
      size += 1
      size == times.length
    }

  def addAll(that: KeptRows): Unit = {
    var i = 0
    while (i < that.size) {
      if (add(that.times(i), that.priorities(i), that.keys(i))) makeRoom(hasEnd = false, 0L)
      i += 1
    }
  }

  /** So many of the least priorities are kept, and no more. */
  def keepFewer(fewer: Int): Unit = if (fewer < most) {
    most = fewer
    isOrdered = false
  }

  /** What is too old may be left out.
    *
    * @param hasEnd whether rows up to the time `until` are not kept
    */
  def makeRoom(hasEnd: Boolean, until: Long): Unit = {
    if (size > most) settle(hasEnd, until)
    if (size > times.length - times.length / 3) grow(size + size / 2L)
  }

  private def grow(room: Long): Unit = {
    val length = math.min(room, MostRoom.toLong).toInt
    times = Arrays.copyOf(times, length)
    priorities = Arrays.copyOf(priorities, length)
    keys = Arrays.copyOf(keys, length)
  }

  /** Leaves out all that is not kept, and puts the others in order. */
  def settle(hasEnd: Boolean, until: Long): Unit = {
    if (!isOrdered || settled != size) {
      sort()
      prune()
    }
    if (hasEnd && size > 0 && times(0) <= until) drop(firstAfter(until))
    settled = size
    isOrdered = true
  }

  /** Room for so many and a few more, of no rows. */
  def reserve(n: Int): Unit = if (n >= times.length) grow(n + n / 4L + Fewest)

  /** A row that was stored: they come in order, and there is room. */
  def restore(time: Long, priority: Long, key: Long): Unit = {
    times(size) = time
    priorities(size) = priority
    keys(size) = key
    size += 1
  }

  /** Whether rows of one time are in order, where times are. */
  def isInOrder: Boolean = {
    var i = 1
    while (i < size && !(times(i) == times(i - 1) && isBefore(i, i - 1))) i += 1
    i >= size
  }

  /** The first row that is later; of settled rows. */
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

  /** Rows of one time: by priority, and by key where that is equal. */
  private def sortGroup(from: Int, until: Int): Unit = {
    var i = from + 1
    while (i < until && !isBefore(i, i - 1)) i += 1
    if (i < until) {
      val own = Arrays.copyOfRange(priorities, from, until)
      val carried = Arrays.copyOfRange(keys, from, until)
      new PairSort().sort(own, carried, until - from)
      System.arraycopy(own, 0, priorities, from, own.length)
      System.arraycopy(carried, 0, keys, from, own.length)
      i = from + 1
      while (i < until) {
        if (priorities(i) == priorities(i - 1)) {
          val first = i - 1
          while (i < until && priorities(i) == priorities(first)) i += 1
          Arrays.sort(keys, first, i)
        }
        i += 1
      }
    }
  }

  private def isBefore(i: Int, j: Int): Boolean =
    priorities(i) < priorities(j) || (priorities(i) == priorities(j) && keys(i) < keys(j))

  /** From the newest to the oldest: of rows of one time those that are kept come first. */
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
      // the greatest of all come first there, so that what is least here is turned
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
        note(time, ~least.least)
        sinceLimit = 0
      }
      until = from
    }
    if (write > 0) drop(write)
  }

  private def note(time: Long, limit: Long): Unit =
    if (limitCount < Limits) {
      limitTimes(limitCount) = time
      limits(limitCount) = limit
      limitCount += 1
    }

  def sizeBytes: Long = Meter.ObjectBytes + 3 * Meter.longs(times.length) + 2 * Meter.longs(Limits)
}

private object KeptRows {
  val Fewest = 16
  val Limits = 64

  /** The longest array that a JVM is sure to make. */
  val MostRoom: Int = Int.MaxValue - 8
}
