package chronosketch.spark.sliding.frames

import java.util.Arrays

import chronosketch.spark.memory.SlidingMemory

/** Columns of consecutive rows, partition after partition: each row's order key, flags and values, and the ends of partitions.
  *
  * It is passive and calls nobody: row sources append at the end, frame drivers and structures read, and the task drops rows at the
  * front. Rows are numbered from the first row of the task. Row r is at index r − [[first]] of each array.
  *
  * Memory  16 bytes a row, and 8 for each value; callers must make room before they append
  *
  * @param areBytes for each value, whether it is a byte array. If so, the column has its number in `bytes`
  */
final class FrameColumns(areBytes: Array[Boolean], val bytes: KeptBytes) extends ColumnSource {

  /** 64 bits for each row that sort like ORDER BY. */
  var order = new Array[Long](0)

  /** NULL bits for each row: bit 0 for the order key, bit e + 1 for value e. */
  var flags = new Array[Long](0)

  /** The values, one array each. */
  val values: Array[Array[Long]] = Array.fill(areBytes.length)(new Array[Long](0))

  private var start = 0L
  private var count = 0

  // the ends of complete partitions, from partition `firstEnd` on
  private var ends = new Array[Long](16)
  private var endCount = 0
  private var firstEnd = 0L

  /** The first row that is kept. */
  def first: Long = start

  /** How many rows are kept. */
  def filled: Int = count

  /** The number of the next row. */
  def end: Long = start + count

  /** How many rows there is room for. */
  def capacity: Int = order.length

  /** Makes room for n rows in all. Returns false if the heap is full. */
  def resize(length: Int): Boolean =
    try {
      val longer = (order +: flags +: values.toSeq).map(Arrays.copyOf(_, length))
      order = longer.head
      flags = longer(1)
      longer.drop(2).copyToArray(values)
      true
    } catch { case _: OutOfMemoryError => false }

  /** Records that n rows were written after the last one. */
  def append(rows: Int): Unit = count += rows

  /** Ends the partition at the last row. */
  def endPartition(): Unit = {
    if (endCount == ends.length) ends = Arrays.copyOf(ends, 2 * endCount)
    ends(endCount) = end
    endCount += 1
  }

  /** How many partitions are complete. */
  def partitions: Long = firstEnd + endCount

  /** The end of a partition, which must be complete and not yet dropped. */
  def endOf(partition: Long): Long = ends((partition - firstEnd).toInt)

  /** The partition of a row. */
  def partitionOf(row: Long): Long = {
    var e = 0
    while (e < endCount && ends(e) <= row) e += 1
    firstEnd + e
  }

  /** Drops the ends of the partitions that end before this row. */
  def dropPartitionsBefore(row: Long): Unit = {
    val dropped = (partitionOf(row) - firstEnd).toInt
    System.arraycopy(ends, dropped, ends, 0, endCount - dropped)
    endCount -= dropped
    firstEnd += dropped
  }

  /** Drops the rows before this one. */
  def dropBefore(row: Long): Unit = {
    val dropped = (row - start).toInt
    count -= dropped
    System.arraycopy(order, dropped, order, 0, count)
    System.arraycopy(flags, dropped, flags, 0, count)
    values.foreach(v => System.arraycopy(v, dropped, v, 0, count))
    start = row
  }

  /** Drops the byte arrays that only rows before this one have. */
  def dropBytesBefore(row: Long): Unit = {
    var least = bytes.nextNumber
    var e = 0
    while (e < values.length) {
      if (areBytes(e)) {
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

/** Keeps the byte arrays that current and later frames may read. Arrays are numbered in ascending order.
  *
  * Memory  is requested from Spark, and used even if Spark refuses: a frame can't be answered without its elements
  */
final class KeptBytes(memory: SlidingMemory) {
  // array n is at index n − first
  private var all = new Array[Array[Byte]](64)
  private var first, next = 0L
  private var granted = 0L
  private var unions = Seq.empty[HeldUnions]

  /** Accounts for unions of these arrays, until [[close]]. */
  def newUnions(): HeldUnions = {
    unions :+= new HeldUnions(memory)
    unions.last
  }

  def apply(number: Long): Array[Byte] = all((number - first).toInt)

  /** Keeps an array and returns its number. */
  def add(bytes: Array[Byte]): Long = {
    val at = (next - first).toInt
    if (at == all.length) all = Arrays.copyOf(all, 2 * at)
    all(at) = bytes
    val size = KeptBytes.sizeOf(bytes)
    if (memory.take(size)) granted += size
    next += 1
    next - 1
  }

  /** The number of the next array. */
  def nextNumber: Long = next

  /** Drops the arrays with smaller numbers. */
  def dropBefore(number: Long): Unit = {
    val (dropped, size) = ((number - first).toInt, (next - first).toInt)
    var bytes = 0L
    var i = 0
    while (i < dropped) { bytes += KeptBytes.sizeOf(all(i)); i += 1 }
    System.arraycopy(all, dropped, all, 0, size - dropped)
    Arrays.fill(all.asInstanceOf[Array[AnyRef]], size - dropped, size, null)
    first = number
    give(math.min(bytes, granted))
  }

  private def give(bytes: Long): Unit = {
    memory.give(bytes)
    granted -= bytes
  }

  def close(): Unit = {
    all = new Array[Array[Byte]](64)
    first = next
    give(granted)
    unions.foreach(_.request(0))
  }
}

/** Requests the memory of unions from Spark. They are made even if Spark refuses. */
final class HeldUnions(memory: SlidingMemory) {
  private var granted = 0L

  /** Requests that n bytes are granted in all. */
  def request(bytes: Long): Unit =
    if (bytes < granted) {
      memory.give(granted - bytes)
      granted = bytes
    } else if (memory.take(bytes - granted)) granted = bytes
}

private object KeptBytes {

  /** The memory of an array: its header, its bytes and the reference to it. */
  def sizeOf(bytes: Array[Byte]): Long = 24L + bytes.length
}
