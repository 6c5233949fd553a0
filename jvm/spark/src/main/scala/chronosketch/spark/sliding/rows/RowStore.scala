package chronosketch.spark.sliding.rows

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.memory.Meter
import chronosketch.spark.memory.{OwnerThread, SlidingMemory}
import chronosketch.spark.rows.RowFile
import chronosketch.spark.sliding.frames.FrameColumns
import chronosketch.spark.sql.SparkPrivates

/** Collects rows in pages of the task's memory, with a record for each, and sorts them there.
  *
  * Memory  is requested from Spark before it is allocated. If Spark refuses it or another operator needs it, the rows are written to
  *         disk. While rows are collected, Spark's sorter takes over. Once rows are returned, the rest is read from disk, and only
  *         the records stay in memory
  *
  * @param partitions counts the memory of the partitions' keys, which is requested here, too
  * @param spilled    called with the number of bytes written to disk
  */
final class RowStore(spec: RowSpec, partitions: Meter, spilled: Long => Unit) extends OrderedRows {
  private val task = TaskContext.get()
  private val manager = SparkPrivates.memoryOf(task)
  private val pageMemory = new SlidingMemory(manager, manager.getTungstenMemoryMode, freeOrSpill)
  private val recordMemory = new SlidingMemory(manager, MemoryMode.ON_HEAP, freeOrSpill)
  private val pages = new RowPages(pageMemory)
  private val records = new RowRecords(spec, partitions, recordMemory)
  private val owner = new OwnerThread

  private val room = spec.wide.length - spec.width
  private var state = RowStore.Filling
  private var file: RowFile = null
  private var firstInFile = 0
  private val row = new UnsafeRow(spec.wide.length)

  private val order = new RecordOrder(records, spec, placeOf)
  private var loaded, loadedPartitions, returned = 0

  def size: Int = records.size
  def peakBytes: Long = pageMemory.peakBytes + recordMemory.peakBytes

  /** Adds a row with its partition and columns. Returns false if there is no memory for it, or if the rows were handed over. */
  def add(wide: UnsafeRow, partition: Int, columns: UnsafeRow): Boolean = {
    owner.enter()
    state == RowStore.Filling && records.reserve(partition) && {
      val address = pages.add(wide, Lanes.of(partition))
      address >= 0L && {
        records.add(address, partition, columns)
        true
      }
    }
  }

  /** Adds an input row, which has no room for answers yet. [[RowSpec.canWiden]] must be true. Returns the same as [[add]]. */
  def addWidened(row: UnsafeRow, partition: Int, columns: UnsafeRow): Boolean = {
    owner.enter()
    state == RowStore.Filling && records.reserve(partition) && {
      val address = pages.addWidened(row, room, Lanes.of(partition))
      address >= 0L && {
        records.add(address, partition, columns)
        true
      }
    }
  }

  /** Sorts all rows, with the partitions in the given order. Returns false if there is no memory for it. */
  def sort(partitions: Array[Int]): Boolean = {
    owner.enter()
    val isSorted = state == RowStore.Filling && records.takeForPartitions() && {
      state = RowStore.Sorting
      order.sort(partitions)
    }
    if (isSorted) state = RowStore.Draining
    isSorted
  }

  private def placeOf(record: Int): Long = {
    pages.point(row, records.address(record))
    row.getLong(spec.width)
  }

  // ---- output

  def isExhausted: Boolean = loaded == records.size

  def load(columns: FrameColumns, rows: Int): Unit = {
    owner.enter()
    val until = math.min(records.size.toLong, loaded.toLong + math.max(rows, 0)).toInt
    while (loaded < until) {
      val end = order.partitionEnds(loadedPartitions)
      val stop = math.min(until, end)
      records.appendTo(columns, order.numbers, order.orderKeys, loaded, stop)
      loaded = stop
      if (stop == end) {
        columns.endPartition()
        loadedPartitions += 1
      }
    }
  }

  private def addressOf(place: Int): Long = records.address(order.numbers(place))

  // a sum of the touched words, so that the JIT does not remove the loads
  private var touched = 0L

  /** Touches the next rows before the first of them is returned: independent loads overlap in the memory system. */
  private def touch(): Unit = {
    val answer = UnsafeRow.calculateBitSetWidthInBytes(spec.wide.length) + 8L * spec.width
    val until = math.min(records.size, returned + RowStore.Touched)
    var sum = 0L
    var i = returned
    while (i < until) { sum += pages.touch(addressOf(i), answer); i += 1 }
    touched += sum
  }

  def next(): UnsafeRow = {
    owner.enter()
    if (file == null) {
      if (returned % RowStore.Touched == 0) touch()
      pages.point(row, addressOf(returned))
    } else {
      if (returned == firstInFile) pages.clear(-1)
      file.next(row)
    }
    returned += 1
    row
  }

  // ---- release of memory

  private def freeOrSpill(trigger: MemoryConsumer): Long =
    if ((trigger eq pageMemory) || (trigger eq recordMemory)) 0L else owner.freeIfOwner(() => giveBack())

  private def giveBack(): Long =
    if (file != null) 0L
    else if (state == RowStore.Filling && records.size > 0) handOver()
    else if (state == RowStore.Draining && returned < records.size) writeOut()
    else 0L

  /** Writes all rows to disk, if not done yet, for Spark's sorter. Rows of a partition keep their order. Returns the freed bytes. */
  def handOver(): Long = if (state == RowStore.HandedOver) 0L
  else {
    val before = held
    val n = records.size
    if (n > 0) {
      file = new RowFile(n)
      var i = 0
      while (i < records.places) {
        SparkPrivates.endIfKilled(task, i.toLong)
        if (records.isFilled(i)) {
          pages.point(row, records.address(i))
          file.write(row)
        }
        i += 1
      }
      file.close()
      spilled(file.bytes)
    }
    state = RowStore.HandedOver
    free()
    before - held
  }

  private def held: Long = pageMemory.getUsed + recordMemory.getUsed

  /** Writes the remaining rows to disk, sorted. The page of the last returned row stays until the next row is requested. */
  private def writeOut(): Long = {
    val before = held
    val n = records.size
    val out = new UnsafeRow(spec.wide.length)
    val rest = new RowFile(n - returned)
    // from now on it is deleted with the rows, also if the task is killed while it writes
    file = rest
    firstInFile = returned
    var i = returned
    while (i < n) {
      SparkPrivates.endIfKilled(task, i.toLong)
      pages.point(out, addressOf(i))
      rest.write(out)
      i += 1
    }
    rest.close()
    spilled(rest.bytes)
    pages.clear(if (returned > 0) addressOf(returned - 1) else -1L)
    before - held
  }

  /** The rows that were written by [[handOver]]. Each is valid until the next is requested. */
  def handedOver: Iterator[UnsafeRow] = if (file == null) Iterator.empty
  else new Iterator[UnsafeRow] {
    def hasNext: Boolean = file.hasNext
    def next(): UnsafeRow = {
      file.next(row)
      row
    }
  }

  private def free(): Unit = {
    pages.clear(-1)
    records.clear()
    order.clear()
  }

  def close(): Unit = {
    free()
    if (file != null) file.delete()
  }
}

private object RowStore {
  val Filling = 0
  val Sorting = 1
  val Draining = 2
  val HandedOver = 3

  /** How many rows are touched at once. */
  final val Touched = 128
}
