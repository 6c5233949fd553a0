package chronosketch.grouped

import chronosketch.codec.{Packed, Wire}
import chronosketch.memory.Meter

/** What hands a part of a query on, where its rows are hardly more than a summary of them?
  *
  * Guarantee  the rows as they came, in order of arrival
  * Cost       a load, a store and up to 8 bytes a number. To build a summary of a few thousand rows, to encode it and to unite it costs
  *            several times that, and is done once for all parts instead
  * Merge      by inserting them
  *
  * It goes from task to task of one query and is never stored: no sketch begins with its mark, and no function takes it.
  *
  * @param width how many numbers a row has
  */
private[grouped] final class RowsPart(width: Int, meter: Meter) {

  /** The first number of each row, the second of each, and so on. */
  val columns: Array[Array[Long]] = Array.fill(width)(Array.emptyLongArray)

  private def sizeBytes: Long = width * Meter.longs(columns(0).length)
  meter.add(sizeBytes)

  /** Reads them into [[columns]]; how many rows. */
  def read(bytes: Array[Byte]): Int = {
    val r = new Wire.Reader(bytes, 1, bytes.length)
    // Packed takes no byte a number where all are equal, so no size explains them
    val n = Math.toIntExact(r.varint())
    if (columns(0).length < n) {
      meter.add(-sizeBytes)
      columns.indices.foreach(i => columns(i) = new Array[Long](n))
      meter.add(sizeBytes)
    }
    columns.foreach(Packed.read(r, _, n))
    r.requireEnd()
    n
  }

  /** It is not used again. */
  def giveBack(): Unit = meter.add(-sizeBytes)
}

private[grouped] object RowsPart {
  private val Mark = 0

  /** Of the first n rows, of which there is one at least. */
  def of(n: Int, columns: Array[Long]*): Array[Byte] = {
    val w = new Wire.Writer(8 * columns.length * n + 64)
    w.byte(Mark)
    w.varint(n.toLong)
    columns.foreach(Packed.write(w, _, n))
    w.result()
  }

  /** Whether these bytes of a part are rows, and not a sketch. */
  def isOne(bytes: Array[Byte]): Boolean = bytes(0) == Mark
}
