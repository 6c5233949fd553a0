package chronosketch.summary

/** Where among sorted keys does a key belong?
  *
  * Cost  one table look-up and a search within its cell, on evenly spread keys of one or two steps; O(log m) on any
  *
  * The table cuts the range of the keys into equal cells. Offsets are unsigned: the range may not fit 63 bits.
  */
private[summary] final class KeyIndex(keys: Array[Long], size: Int) {
  private val least = keys(0)
  private val bits = math.min(24, math.max(6, 33 - Integer.numberOfLeadingZeros(size)))
  private val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(keys(size - 1) - least) - bits)
  private val cells: Array[Int] = {
    val table = new Array[Int]((1 << bits) + 1)
    var filled = 0
    var i = 0
    while (i < size) {
      val cell = ((keys(i) - least) >>> shift).toInt
      while (filled <= cell) { table(filled) = i; filled += 1 }
      i += 1
    }
    while (filled < table.length) { table(filled) = size; filled += 1 }
    table
  }

  /** The first index whose key is not less than `key`, which lies between the first and the last. */
  def successor(key: Long): Int = {
    val cell = ((key - least) >>> shift).toInt
    var low = cells(cell)
    var high = cells(cell + 1)
    while (low < high) {
      val mid = (low + high) >>> 1
      if (keys(mid) < key) low = mid + 1 else high = mid
    }
    low
  }
}
