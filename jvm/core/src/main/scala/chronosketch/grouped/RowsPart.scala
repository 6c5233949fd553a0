package chronosketch.grouped

import chronosketch.codec.{Packed, Wire}
import chronosketch.memory.Meter

/** Encodes and decodes the rows of a group that a task passes to another unsummarised, because a summary would hardly be smaller.
  *
  * Guarantee  the rows in order of arrival
  * Cost       a load, a store and up to 8 bytes per number. Building, encoding and merging a summary of a few thousand rows costs
  *            several times that; so it is built once for all parts instead
  * Merge      insert the rows
  *
  * The bytes only go from task to task of one query and are never stored. No sketch begins with their mark, and no function
  * accepts them.
  *
  * @param width the number of numbers per row
  */
private[grouped] final class RowsPart(width: Int, meter: Meter) {

  /** The decoded rows, column by column: the first number of each row, the second of each, and so on. */
  val columns: Array[Array[Long]] = Array.fill(width)(Array.emptyLongArray)

  private def sizeBytes: Long = width * Meter.longs(columns(0).length)
  meter.add(sizeBytes)

  /** Decodes rows into [[columns]] and returns their number. */
  def read(bytes: Array[Byte]): Int = {
    val r = new Wire.Reader(bytes, 1, bytes.length)
    // not checked against the size of the bytes: Packed needs no bytes for equal numbers
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

  /** Takes the memory off the meter. The object must not be used afterwards. */
  def release(): Unit = meter.add(-sizeBytes)
}

private[grouped] object RowsPart {
  private val Mark = 0

  /** Encodes the first n ≥ 1 rows. */
  def encode(n: Int, columns: Array[Long]*): Array[Byte] = {
    val w = new Wire.Writer(8 * columns.length * n + 64)
    w.byte(Mark)
    w.varint(n.toLong)
    columns.foreach(Packed.write(w, _, n))
    w.result()
  }

  /** Whether the bytes of a part contain rows, not a sketch. */
  def isRowsPart(bytes: Array[Byte]): Boolean = bytes(0) == Mark
}
