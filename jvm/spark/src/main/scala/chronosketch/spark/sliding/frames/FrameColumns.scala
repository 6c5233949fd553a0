package chronosketch.spark.sliding.frames

import java.util.Arrays

/** What frames need of consecutive rows, partition after partition: each row's order key, flags and values, and where partitions end.
  *
  * It is passive: sources of rows append at the end, frame drivers and structures read, the task drops rows in front. Nobody is called
  * back. Rows are numbered on and on, from the first row of the task; row r is at index r − [[first]] of each array.
  *
  * Memory  16 bytes a row, and 8 for each value; whoever appends has made sure that there is room
  *
  * @param isOfBytes of each value, whether it is an array of bytes: then its number in `bytes` is kept
  */
final class FrameColumns(isOfBytes: Array[Boolean], val bytes: KeptBytes) extends ColumnSource {

  /** 64 bits a row that sort as ORDER BY does. */
  var order = new Array[Long](0)

  /** Bits a row that say what is NULL: bit 0 the order key, bit e + 1 the value e. */
  var flags = new Array[Long](0)

  /** The values, one array each. */
  val values: Array[Array[Long]] = Array.fill(isOfBytes.length)(new Array[Long](0))

  private var start = 0L
  private var count = 0

  // where partitions end that are complete; the first of these ends is that of partition `firstEnd`
  private var ends = new Array[Long](16)
  private var endCount = 0
  private var firstEnd = 0L

  /** The first row that is here. */
  def first: Long = start

  /** How many rows are here. */
  def filled: Int = count

  /** The number of the next row to come. */
  def end: Long = start + count

  /** How many rows there is room for. */
  def capacity: Int = order.length

  /** Makes room for so many rows; false where the heap has none. */
  def resize(length: Int): Boolean =
    try {
      val longer = (order +: flags +: values.toSeq).map(Arrays.copyOf(_, length))
      order = longer.head
      flags = longer(1)
      longer.drop(2).copyToArray(values)
      true
    } catch { case _: OutOfMemoryError => false }

  /** So many rows have been written behind the last one. */
  def append(rows: Int): Unit = count += rows

  /** The last row is the last of its partition. */
  def endPartition(): Unit = {
    if (endCount == ends.length) ends = Arrays.copyOf(ends, 2 * endCount)
    ends(endCount) = end
    endCount += 1
  }

  /** How many partitions are complete. */
  def partitions: Long = firstEnd + endCount

  /** Where a complete partition ends that has not been passed. */
  def endOf(partition: Long): Long = ends((partition - firstEnd).toInt)

  /** The partition of a row. */
  def partitionOf(row: Long): Long = {
    var e = 0
    while (e < endCount && ends(e) <= row) e += 1
    firstEnd + e
  }

  /** Partitions that end before this row are asked for no more. */
  def passPartitions(row: Long): Unit = {
    val passed = (partitionOf(row) - firstEnd).toInt
    System.arraycopy(ends, passed, ends, 0, endCount - passed)
    endCount -= passed
    firstEnd += passed
  }

  /** Drops the rows before this one. */
  def dropBefore(row: Long): Unit = {
    val gone = (row - start).toInt
    count -= gone
    System.arraycopy(order, gone, order, 0, count)
    System.arraycopy(flags, gone, flags, 0, count)
    values.foreach(v => System.arraycopy(v, gone, v, 0, count))
    start = row
  }

  /** Drops the bytes that no row from this one on has. */
  def dropBytesBefore(row: Long): Unit = {
    var least = bytes.nextNumber
    var e = 0
    while (e < values.length) {
      if (isOfBytes(e)) {
        var i = (row - start).toInt
        while (i < count && (flags(i) & (2L << e)) != 0L) i += 1
        if (i < count) least = math.min(least, values(e)(i))
      }
      e += 1
    }
    bytes.dropBefore(least)
  }

  def show(row: Long, cursor: ColumnCursor): Unit =
    cursor.show(order, flags, values, start, end, isGrowing = true)
}

object FrameColumns {

  /** The most rows that are kept in memory at once. */
  val MostRows: Int = 1 << 29
}
