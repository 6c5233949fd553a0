package chronosketch.sort

import java.util.Arrays

/** Divides the range from the least to the greatest key into parts of equal width, for sorting.
  *
  * Guarantee  every key of a part is less than every key of the next part
  * Cost       two passes over the keys; a part has up to 2^`crowdBits` keys if they are spread evenly
  * Units      the leading bits, at most `mostBits`, of the unsigned distance from the least key are the number of the part
  *
  * There is one table for each depth of recursion, so that a part can be split again before its neighbours are done.
  */
private[sort] final class RangeParts(crowdBits: Int, mostBits: Int) {
  private val tables = new Array[Array[Int]](RangeParts.Depths)

  /** The result of the last split: the part of a key is (key − least) >>> shift. */
  var least = 0L
  var shift = 0
  var parts = 0

  /** Splits the range of the keys from `from` until `until`. Returns false if all are equal and need no sorting. */
  def split(keys: Array[Long], from: Int, until: Int, depth: Int): Boolean = {
    var lowest = keys(from)
    var highest = lowest
    var i = from + 1
    while (i < until) {
      val key = keys(i)
      lowest = math.min(lowest, key)
      highest = math.max(highest, key)
      i += 1
    }
    lowest < highest && {
      val wanted = 32 - crowdBits - Integer.numberOfLeadingZeros(until - from)
      val bits = math.max(1, math.min(mostBits, wanted))
      least = lowest
      // unsigned: the range may not fit 63 bits
      shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(highest - lowest) - bits)
      parts = 1 << bits
      count(keys, from, until, starts(depth))
      true
    }
  }

  /** The start of each part. The caller increments an entry for each key that it places, so it becomes the end of the part. */
  def starts(depth: Int): Array[Int] = {
    if (tables(depth) == null) tables(depth) = new Array[Int](1 << mostBits)
    tables(depth)
  }

  private def count(keys: Array[Long], from: Int, until: Int, starts: Array[Int]): Unit = {
    val low = least
    val by = shift
    Arrays.fill(starts, 0, parts, 0)
    var i = from
    while (i < until) {
      starts(((keys(i) - low) >>> by).toInt) += 1
      i += 1
    }
    var at = from
    var part = 0
    while (part < parts) {
      val size = starts(part)
      starts(part) = at
      at += size
      part += 1
    }
  }
}

private[sort] object RangeParts {

  /** A split takes at least four bits off the range, since it has more than [[KeySort.Few]] keys. */
  private val Depths = 17
}
