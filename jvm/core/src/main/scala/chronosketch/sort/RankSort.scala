package chronosketch.sort

import java.util.Arrays

/** In which order are these keys? Each carries a number; those of equal keys stay in the order given.
  *
  * Cost  keys that do not fall are looked at once; others are laid out by where they lie between the least and the greatest, and
  *       again inside each crowded part: two passes over evenly spread keys, eight at worst
  *
  * One a thread: its room is used again.
  */
private[chronosketch] final class RankSort {

  /** What is sorted: filled by whoever asks, after `reserve`. */
  var keys = new Array[Long](RankSort.Few)
  var numbers = new Array[Int](RankSort.Few)

  private var otherKeys = Array.empty[Long]
  private var otherNumbers = Array.empty[Int]

  // where each part ends, one table a depth: a part is sorted before the next one is looked at
  private val ends = new Array[Array[Int]](RankSort.Depths)

  def reserve(n: Int): Unit = if (n > keys.length) {
    keys = new Array[Long](n + n / 4)
    numbers = new Array[Int](n + n / 4)
  }

  def sort(n: Int): Unit =
    if (n <= RankSort.Few) insert(keys, numbers, 0, n)
    else if (!rises(n)) {
      if (otherKeys.length < n) {
        otherKeys = new Array[Long](keys.length)
        otherNumbers = new Array[Int](keys.length)
      }
      sort(0, n, 0)
    }

  private def rises(n: Int): Boolean = {
    var i = 1
    while (i < n && keys(i - 1) <= keys(i)) i += 1
    i >= n
  }

  private def sort(from: Int, until: Int, depth: Int): Unit = {
    val keys = this.keys
    var least = keys(from)
    var greatest = least
    var i = from + 1
    while (i < until) {
      val key = keys(i)
      least = math.min(least, key)
      greatest = math.max(greatest, key)
      i += 1
    }
    if (least < greatest) {
      val bits = math.min(RankSort.MostBits, 30 - Integer.numberOfLeadingZeros(until - from))
      // unsigned: the range may not fit 63 bits
      val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(greatest - least) - bits)
      if (ends(depth) == null) ends(depth) = new Array[Int](1 << RankSort.MostBits)
      val end = ends(depth)
      distribute(from, until, least, shift, end, 1 << bits)
      System.arraycopy(otherKeys, from, keys, from, until - from)
      System.arraycopy(otherNumbers, from, numbers, from, until - from)
      var start = from
      var part = 0
      while (shift > 0 && part < (1 << bits)) {
        val stop = end(part)
        if (stop - start > RankSort.Few) sort(start, stop, depth + 1) else insert(keys, numbers, start, stop)
        start = stop
        part += 1
      }
    }
  }

  /** Into the other arrays, part by part; leaves in `end` where each ends. */
  private def distribute(
      from: Int,
      until: Int,
      least: Long,
      shift: Int,
      end: Array[Int],
      parts: Int
  ): Unit = {
    val keys = this.keys
    val numbers = this.numbers
    val toKeys = otherKeys
    val toNumbers = otherNumbers
    Arrays.fill(end, 0, parts, 0)
    var i = from
    while (i < until) {
      end(((keys(i) - least) >>> shift).toInt) += 1
      i += 1
    }
    var at = from
    var part = 0
    while (part < parts) {
      val size = end(part)
      end(part) = at
      at += size
      part += 1
    }
    i = from
    while (i < until) {
      part = ((keys(i) - least) >>> shift).toInt
      at = end(part)
      end(part) = at + 1
      toKeys(at) = keys(i)
      toNumbers(at) = numbers(i)
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

private[chronosketch] object RankSort {
  private val Few = 48
  private val MostBits = 11

  /** Each takes four bits of the range at least. */
  private val Depths = 17
}
