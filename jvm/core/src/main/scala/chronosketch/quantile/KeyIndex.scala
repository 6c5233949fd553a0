package chronosketch.quantile

/** Where among sorted keys does a key belong?
  *
  * Cost  one table look-up and a search within its cell: of one or two steps on most keys, of O(log m) on any; building it
  *       takes a pass over the keys and the table, 8 to 16 bytes a key; a fine one takes four times that, and no step for most keys
  *
  * The table cuts the range of the keys into equal cells, but for the outermost ones: an infinity, a NaN or a 1e300 would
  * leave all the others in one cell. Offsets are unsigned: the range may not fit 63 bits.
  */
private[chronosketch] final class KeyIndex(keys: Array[Long], size: Int, version: Long, val isFine: Boolean) {
  private val outer = size / KeyIndex.OuterShare
  private val least = keys(outer)
  private val greatest = keys(size - 1 - outer)
  private val bits = math.min(24, math.max(6, (if (isFine) 35 else 33) - Integer.numberOfLeadingZeros(size)))
  private val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(greatest - least) - bits)
  // a cell's keys begin at its entry and end at the next; counted, then summed: which cell comes next is never guessed
  private val cells: Array[Int] = {
    val table = new Array[Int](cellOf(greatest) + 2)
    var i = 0
    while (i < size) { table(cellOf(keys(i)) + 1) += 1; i += 1 }
    var sum = 0
    i = 1
    while (i < table.length) { sum += table(i); table(i) = sum; i += 1 }
    table
  }

  /** Whether it was built from these keys, and they have not changed since. */
  def isOf(otherKeys: Array[Long], otherVersion: Long): Boolean =
    (keys eq otherKeys) && version == otherVersion

  private def cellOf(key: Long): Int = ((math.min(math.max(key, least), greatest) - least) >>> shift).toInt

  /** Of each key from `from` until `until` the first index whose key is not less; of one that does not lie between the first and the
    * last, any index. Of a fine table most cells are empty, and the guess that this one is too is mostly right. Of others many hold a
    * key, and which side of it is a coin toss: it is computed, not branched on.
    */
  def successors(of: Array[Long], from: Int, until: Int, into: Array[Int]): Unit = {
    val table = cells
    var i = from
    while (i < until) {
      val key = of(i)
      val cell = cellOf(key)
      val begin = table(cell)
      val end = table(cell + 1)
      into(i) = if (begin == end) begin
      else TupleArrays.place(keys, begin + KeyIndex.less(keys(begin), key), end, key)
      i += 1
    }
  }
}

private[chronosketch] object KeyIndex {

  /** One part in so many of the keys is left to the first cell, and one to the last. */
  private val OuterShare = 64

  /** 1 where a < b, else 0: the sign of a − b, but where that runs over, a's own (Warren, Hacker's Delight, §2-12). */
  private def less(a: Long, b: Long): Int = (((a & ~b) | (~(a ^ b) & (a - b))) >>> 63).toInt
}
