package chronosketch.spark.sliding.rows

import java.util.Arrays

/** Sorts keys and the numbers that go with them: least significant digit first, digits that are all alike left out.
  *
  * Guarantee  stable
  * Cost       one look where the keys are in order already; else two passes for each eleven bits in which keys differ, few keys
  *            by insertion
  */
final class RowSort {
  private var roomKeys = new Array[Long](0)
  private var roomNumbers = new Array[Int](0)
  private val counts = new Array[Int](RowSort.Digits)

  def sort(keys: Array[Long], numbers: Array[Int], from: Int, until: Int): Unit = {
    val first = if (from < until) keys(from) else 0L
    var differing = 0L
    var isSorted = true
    var i = from + 1
    while (i < until) {
      val key = keys(i)
      differing |= key ^ first
      isSorted &= keys(i - 1) <= key
      i += 1
    }
    if (!isSorted) {
      if (until - from <= RowSort.Few) insert(keys, numbers, from, until)
      else distribute(keys, numbers, from, until, differing)
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

  private def distribute(
      keys: Array[Long],
      numbers: Array[Int],
      from: Int,
      until: Int,
      differing: Long
  ): Unit = {
    val n = until - from
    if (roomKeys.length < n) {
      roomKeys = new Array[Long](n)
      roomNumbers = new Array[Int](n)
    }
    var isInRoom = false
    var shift = 0
    while (shift < 64) {
      if (((differing >>> shift) & RowSort.Mask) != 0L) {
        if (isInRoom) pass(roomKeys, roomNumbers, 0, n, keys, numbers, from, shift)
        else pass(keys, numbers, from, n, roomKeys, roomNumbers, 0, shift)
        isInRoom = !isInRoom
      }
      shift += RowSort.Bits
    }
    if (isInRoom) {
      System.arraycopy(roomKeys, 0, keys, from, n)
      System.arraycopy(roomNumbers, 0, numbers, from, n)
    }
  }

  private def pass(
      keys: Array[Long],
      numbers: Array[Int],
      from: Int,
      n: Int,
      toKeys: Array[Long],
      toNumbers: Array[Int],
      to: Int,
      shift: Int
  ): Unit = {
    val next = counts
    Arrays.fill(next, 0)
    val until = from + n
    var i = from
    while (i < until) { next(RowSort.digit(keys(i), shift)) += 1; i += 1 }
    var at = to
    var digit = 0
    while (digit < RowSort.Digits) {
      val size = next(digit)
      next(digit) = at
      at += size
      digit += 1
    }
    i = from
    while (i < until) {
      val key = keys(i)
      val d = RowSort.digit(key, shift)
      val place = next(d)
      next(d) = place + 1
      toKeys(place) = key
      toNumbers(place) = numbers(i)
      i += 1
    }
  }
}

object RowSort {
  private final val Bits = 11
  private final val Digits = 1 << Bits
  private final val Mask = Digits - 1L
  private val Few = 64

  /** What sorting so many keys takes beside them. */
  def bytes(n: Int): Long = 12L * n

  /** The sign bit turned, so that negative keys come first. */
  private def digit(key: Long, shift: Int): Int = (((key ^ Long.MinValue) >>> shift) & Mask).toInt
}
