package chronosketch.spark.rows

import chronosketch.memory.Meter

/** A direct-address table from keys to groups, for keys that are close to each other.
  *
  * Guarantee  finds every key entered since the last clear
  * Cost       one load per look-up
  * Memory     4 bytes per entry; the range from the least to the greatest key has at most 65 536 entries
  *
  * Numbers of customers, hosts or days are usually close to each other. A hash look-up takes three times as long as this table.
  */
private[rows] final class NearKeys(meter: Meter) {
  // entry i belongs to key `low + i`: its group plus one, or 0 if absent
  private var table = Array.emptyIntArray
  private var low = 0L
  // whether the keys are too far apart for the table
  private var isFar = false

  /** Grows the table, within its limit, to cover all keys between two keys. Returns whether it covers them. */
  def reaches(least: Long, greatest: Long): Boolean =
    !isFar && ((table.length > 0 && least >= low && isWithin(greatest)) || growToCover(least, greatest))

  // unsigned: the difference may not fit 63 bits
  private def isWithin(key: Long): Boolean =
    java.lang.Long.compareUnsigned(key - low, table.length.toLong) < 0

  /** The group of a key that the table covers; -1 if the key has not been entered. */
  def find(key: Long): Int = table((key - low).toInt) - 1

  /** Enters the group of a key that the table covers. */
  def enter(key: Long, group: Int): Unit = table((key - low).toInt) = group + 1

  private def growToCover(least: Long, greatest: Long): Boolean = {
    val from = if (table.length == 0) least else math.min(least, low)
    val to = if (table.length == 0) greatest else math.max(greatest, low + table.length - 1)
    val span = to - from
    // the difference is negative if it exceeds 63 bits
    if (span < 0 || span >= NearKeys.MostEntries) giveUp()
    else {
      val room = math.min(NearKeys.MostEntries, math.max(NearKeys.FewestEntries, 2 * span)).toInt
      val grown = new Array[Int](room)
      if (table.length > 0) {
        val at = (low - from).toInt
        // entries that do not fit are empty: they belong to no key that has been entered
        System.arraycopy(table, 0, grown, at, math.min(table.length, room - at))
      }
      meter.add(4L * (grown.length - table.length))
      table = grown
      low = from
    }
    !isFar
  }

  private def giveUp(): Unit = {
    clear()
    isFar = true
  }

  def clear(): Unit = {
    meter.add(-4L * table.length)
    table = Array.emptyIntArray
    isFar = false
  }
}

private object NearKeys {
  val FewestEntries = 256L
  val MostEntries: Long = 1L << 16
}
