package chronosketch.sort

import java.util.Arrays

/** Into which parts do keys fall, by where they lie between the least and the greatest of them?
  *
  * Guarantee  every key of a part is less than every key of the next part
  * Cost       two passes over the keys; a part holds up to 2^`crowdBits` keys where they are spread evenly
  * Units      unsigned distances from the least key, of which the leading bits, `mostBits` at most, name the part
  *
  * It keeps one table for each depth of recursion, so a part can be split again while its neighbours wait.
  */
private[sort] final class RangeParts(crowdBits: Int, mostBits: Int) {
  private val tables = new Array[Array[Int]](RangeParts.Depths)

  /** What the last split came to: the part of a key is (key − least) >>> shift. */
  var least = 0L
  var shift = 0
  var parts = 0

  /** Splits the keys from `from` until `until`. False where all are equal: then there is nothing to do. */
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

  /** Where each part starts. Whoever lays the keys out moves each entry on to where its part ends. */
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

  /** A split takes four bits off the range at least, since it has more than [[KeySort.Few]] keys. */
  private val Depths = 17
}
