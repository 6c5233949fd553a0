package chronosketch.spark.aggregate.operator

import chronosketch.memory.Meter

/** Which group is this key's, where all keys lie near each other?
  *
  * Guarantee  what has been entered and not cleared is found
  * Cost       one load a look-up; 4 bytes a key between the least and the greatest, of which there are 65 536 at most
  *
  * Numbers of customers, hosts or days are mostly like that. A hash of them takes three times as long as a place in a table.
  */
private[operator] final class NearKeys(meter: Meter) {
  // of the key `low + i` the i-th entry: its group plus one, or 0
  private var table = Array.emptyIntArray
  private var low = 0L
  private var isFar = false

  /** Whether the table reaches from one key to the other; it grows as far as it may. */
  def reaches(least: Long, greatest: Long): Boolean =
    !isFar && ((table.length > 0 && least >= low && isWithin(greatest)) || reachFor(least, greatest))

  // unsigned: the difference may not fit 63 bits
  private def isWithin(key: Long): Boolean =
    java.lang.Long.compareUnsigned(key - low, table.length.toLong) < 0

  /** The group of a key that the table reaches; −1 where none has been entered. */
  def find(key: Long): Int = table((key - low).toInt) - 1

  /** Of a key that the table reaches. */
  def enter(key: Long, group: Int): Unit = table((key - low).toInt) = group + 1

  private def reachFor(least: Long, greatest: Long): Boolean = {
    val from = if (table.length == 0) least else math.min(least, low)
    val to = if (table.length == 0) greatest else math.max(greatest, low + table.length - 1)
    val span = to - from
    // a span beyond 63 bits comes out negative
    if (span < 0 || span >= NearKeys.MostEntries) giveUp()
    else {
      val room = math.min(NearKeys.MostEntries, math.max(NearKeys.FewestEntries, 2 * span)).toInt
      val grown = new Array[Int](room)
      if (table.length > 0) {
        val at = (low - from).toInt
        // no key is so great that it would be in what does not fit
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
