package chronosketch.sort

import chronosketch.Cancellation
import chronosketch.memory.Meter

/** Sorts pairs of a key and a number by key.
  *
  * Guarantee  stable: pairs with equal keys stay in the given order
  * Cost       one pass if the keys are sorted already. Few pairs are sorted by insertion, others in two passes if the keys are
  *            evenly spread, and at most six: each takes up to eleven bits off the range
  *
  * Not thread-safe. It keeps scratch memory for the largest number of pairs that it has sorted: [[PairSort.bytes]].
  */
private[chronosketch] final class PairSort {
  private var roomKeys = Array.emptyLongArray
  private var roomNumbers = Array.emptyIntArray
  private val ranges = new RangeParts(crowdBits = 2, mostBits = 11)

  /** Sorts the pairs (keys(i), numbers(i)) from `from` until `until` in place. `cancellation` is checked between passes over parts of
    * them.
    */
  def sort(
      keys: Array[Long],
      numbers: Array[Int],
      from: Int,
      until: Int,
      cancellation: Cancellation = Cancellation.Never
  ): Unit =
    if (!PairSort.rises(keys, from, until)) {
      if (until - from <= PairSort.Few) insert(keys, numbers, from, until)
      else {
        reserve(until - from)
        split(keys, numbers, from, until, -from, 0, cancellation)
      }
    }

  /** Sorts the pairs (keys(i), carried(i)) for i < n in place. */
  def sort(keys: Array[Long], carried: Array[Long], n: Int): Unit = sort(keys, carried, n, Cancellation.Never)

  /** As above, with a cancellation. */
  def sort(keys: Array[Long], carried: Array[Long], n: Int, cancellation: Cancellation): Unit =
    if (!PairSort.rises(keys, 0, n)) {
      val order = Array.range(0, n)
      val before = java.util.Arrays.copyOf(carried, n)
      sort(keys, order, 0, n, cancellation)
      var i = 0
      while (i < n) { carried(i) = before(order(i)); i += 1 }
    }

  /** Sorts the pairs (first(i), second(i)) for i < n in place, by the first number and then by the second. */
  def sortByBoth(first: Array[Long], second: Array[Long], n: Int): Unit = {
    sort(first, second, n)
    var i = 1
    while (i < n) {
      if (first(i) == first(i - 1)) {
        val from = i - 1
        while (i < n && first(i) == first(from)) i += 1
        java.util.Arrays.sort(second, from, i)
      }
      i += 1
    }
  }

  /** The memory of this object and its scratch arrays. */
  def sizeBytes: Long = Meter.ObjectBytes + Meter.longs(roomKeys.length) + Meter.ints(roomNumbers.length)

  private def reserve(n: Int): Unit = if (roomKeys.length < n) {
    roomKeys = new Array[Long](n)
    roomNumbers = new Array[Int](n)
  }

  /** Sorts a part. Element i of the arrays has the position i + `shifted` in the scratch memory. */
  private def split(
      keys: Array[Long],
      numbers: Array[Int],
      from: Int,
      until: Int,
      shifted: Int,
      depth: Int,
      cancellation: Cancellation
  ): Unit = {
    cancellation.check()
    if (ranges.split(keys, from, until, depth)) {
      val ends = ranges.starts(depth)
      val parts = ranges.parts
      val shift = ranges.shift
      distribute(keys, numbers, from, until, shifted, ends)
      var start = from
      var part = 0
      while (part < parts) {
        val end = ends(part)
        if (shift == 0 || end - start > PairSort.Few) {
          System.arraycopy(roomKeys, start + shifted, keys, start, end - start)
          System.arraycopy(roomNumbers, start + shifted, numbers, start, end - start)
          if (shift > 0) split(keys, numbers, start, end, shifted, depth + 1, cancellation)
        } else insertFromRoom(keys, numbers, start, end, shifted)
        start = end
        part += 1
      }
    }
  }

  /** Copies the pairs to the scratch memory, part by part. `ends` has the start of each part, and afterwards its end. */
  private def distribute(
      keys: Array[Long],
      numbers: Array[Int],
      from: Int,
      until: Int,
      shifted: Int,
      ends: Array[Int]
  ): Unit = {
    val least = ranges.least
    val shift = ranges.shift
    val toKeys = roomKeys
    val toNumbers = roomNumbers
    var i = from
    while (i < until) {
      val key = keys(i)
      val part = ((key - least) >>> shift).toInt
      val at = ends(part)
      ends(part) = at + 1
      toKeys(at + shifted) = key
      toNumbers(at + shifted) = numbers(i)
      i += 1
    }
  }

  private def insertFromRoom(
      keys: Array[Long],
      numbers: Array[Int],
      from: Int,
      until: Int,
      shifted: Int
  ): Unit = {
    val fromKeys = roomKeys
    val fromNumbers = roomNumbers
    var i = from
    while (i < until) {
      val key = fromKeys(i + shifted)
      var at = i
      while (at > from && keys(at - 1) > key) {
        keys(at) = keys(at - 1)
        numbers(at) = numbers(at - 1)
        at -= 1
      }
      keys(at) = key
      numbers(at) = fromNumbers(i + shifted)
      i += 1
    }
  }

  private def insert(keys: Array[Long], numbers: Array[Int], from: Int, until: Int): Unit = {
    var i = from + 1
    while (i < until) {
      val key = keys(i)
      val number = numbers(i)
      var at = i
      while (at > from && keys(at - 1) > key) {
        keys(at) = keys(at - 1)
        numbers(at) = numbers(at - 1)
        at -= 1
      }
      keys(at) = key
      numbers(at) = number
      i += 1
    }
  }
}

private[chronosketch] object PairSort {

  /** This many pairs or fewer are sorted by insertion. */
  private[sort] val Few = 48

  /** The scratch memory that sorting n pairs takes. */
  def bytes(n: Int): Long = 12L * n

  private def rises(keys: Array[Long], from: Int, until: Int): Boolean = {
    var i = from + 1
    while (i < until && keys(i - 1) <= keys(i)) i += 1
    i >= until
  }
}
