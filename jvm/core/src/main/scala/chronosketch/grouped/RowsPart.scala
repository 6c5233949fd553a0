package chronosketch.grouped

import chronosketch.bucketing.RowBlock
import chronosketch.codec.{Packed, Wire}
import chronosketch.memory.Meter

/** What hands a part of a query on, where its rows are hardly more than a summary of them?
  *
  * Guarantee  the rows as they came, in order of arrival
  * Cost       a few nanoseconds a row, and up to 16 bytes
  * Merge      by inserting them
  *
  * It goes from task to task of one query and is never stored: no sketch begins with its mark, and no function takes it.
  */
private[grouped] final class RowsPart(meter: Meter) {
  var keys, times: Array[Long] = Array.emptyLongArray

  /** Reads them into [[keys]] and [[times]]; how many. */
  def read(bytes: Array[Byte]): Int = {
    val r = new Wire.Reader(bytes, 1, bytes.length)
    // Packed takes no byte a number where all are equal, so no size explains them
    val n = Math.toIntExact(r.varint())
    if (keys.length < n) {
      meter.add(2 * (Meter.longs(n) - Meter.longs(keys.length)))
      keys = new Array[Long](n)
      times = new Array[Long](n)
    }
    Packed.read(r, times, n)
    Packed.read(r, keys, n)
    r.requireEnd()
    n
  }

  /** It is not used again. */
  def giveBack(): Unit = meter.add(-2 * Meter.longs(keys.length))
}

private[grouped] object RowsPart {
  private val Mark = 0

  def of(rows: RowBlock): Array[Byte] = {
    val w = new Wire.Writer(16 * rows.size + 64)
    w.byte(Mark)
    w.varint(rows.size.toLong)
    Packed.write(w, rows.times, rows.size)
    Packed.write(w, rows.keys, rows.size)
    w.result()
  }

  /** Whether these bytes of a part are rows, and not a sketch. */
  def isOne(bytes: Array[Byte]): Boolean = bytes(0) == Mark
}
