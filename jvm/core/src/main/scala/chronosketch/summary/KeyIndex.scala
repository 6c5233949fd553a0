package chronosketch.summary

/** Where among sorted keys does a key belong?
  *
  * Cost  one table look-up and a search within its cell: of one or two steps on most keys, of O(log m) on any; building it
  *       takes a pass over the keys and the table, 8 to 16 bytes a key; a fine one takes four times that, and no step for most keys
  *
  * The table cuts the range of the keys into equal cells, but for the outermost ones: an infinity, a NaN or a 1e300 would
  * leave all the others in one cell. Offsets are unsigned: the range may not fit 63 bits.
  */
private[summary] final class KeyIndex(keys: Array[Long], size: Int, version: Long, val isFine: Boolean) {
  private val outer = size / KeyIndex.OuterShare
  private val least = keys(outer)
  private val greatest = keys(size - 1 - outer)
  private val bits = math.min(24, math.max(6, (if (isFine) 35 else 33) - Integer.numberOfLeadingZeros(size)))
  private val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(greatest - least) - bits)
  private val cells: Array[Int] = {
    val table = new Array[Int](cellOf(greatest) + 2)
    var filled = 0
    var i = 0
    while (i < size) {
      val cell = cellOf(keys(i))
      while (filled <= cell) { table(filled) = i; filled += 1 }
      i += 1
    }
    table(filled) = size
    table
  }

  /** Whether it was built from these keys, and they have not changed since. */
  def isOf(otherKeys: Array[Long], otherVersion: Long): Boolean =
    (keys eq otherKeys) && version == otherVersion

  private def cellOf(key: Long): Int = ((math.min(math.max(key, least), greatest) - least) >>> shift).toInt

  /** The first index whose key is not less than `key`, which lies between the first and the last. The search always halves:
    * what it compares then turns into a conditional move, where a branch would be guessed wrong every other time.
    */
  def successor(key: Long): Int = {
    val cell = cellOf(key)
    var low = cells(cell)
    var left = cells(cell + 1) - low
    while (left > 0) {
      val half = (left + 1) >>> 1
      if (keys(low + half - 1) < key) low += half
      left -= half
    }
    low
  }
}

private[summary] object KeyIndex {

  /** One part in so many of the keys is left to the first cell, and one to the last. */
  private val OuterShare = 64
}
