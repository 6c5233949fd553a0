package chronosketch.spark.sliding.rows

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.memory.Meter
import chronosketch.spark.memory.{SlidingMemory, OwnerThread}
import chronosketch.spark.sliding.frames.FrameColumns
import chronosketch.spark.sql.SparkPrivates

/** Collects rows in pages of the task's memory, with a record beside each, and sorts them there.
  *
  * Memory  is asked of Spark before it is taken. Where Spark refuses, or another operator asks for memory: rows that still come in go
  *         to disk, for Spark's sorter to sort; rows that go out already do so from disk, and their records stay
  *
  * @param partitions counts the memory of the partitions' keys, which is asked for here too
  * @param spilled    is told how many bytes went to disk
  */
final class RowStore(spec: RowSpec, partitions: Meter, spilled: Long => Unit) extends OrderedRows {
  private val manager = SparkPrivates.memoryOf(TaskContext.get())
  private val pageMemory = new SlidingMemory(manager, manager.getTungstenMemoryMode, relieve)
  private val recordMemory = new SlidingMemory(manager, MemoryMode.ON_HEAP, relieve)
  private val pages = new RowPages(pageMemory)
  private val records = new RowRecords(spec, partitions, recordMemory)
  private val owner = new OwnerThread

  private val room = spec.wide.length - spec.width
  private var state = RowStore.Filling
  private var file: RowFile = null
  private var firstInFile = 0
  private val row = new UnsafeRow(spec.wide.length)

  private val order = new RecordOrder(records, spec, placeOf)
  private var loaded, loadedPartitions, taken = 0

  def size: Int = records.size
  def peakBytes: Long = pageMemory.peakBytes + recordMemory.peakBytes

  /** Takes in a row, with its partition and columns. False where there is no memory for it, or another operator has got it. */
  def add(wide: UnsafeRow, partition: Int, columns: UnsafeRow): Boolean = {
    owner.enter()
    state == RowStore.Filling && records.hasRoom(partition) && {
      val address = pages.add(wide, Lanes.of(partition))
      address >= 0L && {
        records.add(address, partition, columns)
        true
      }
    }
  }

  /** As [[add]], of a row of the input without room for answers, where the layout can be widened. */
  def addWidened(row: UnsafeRow, partition: Int, columns: UnsafeRow): Boolean = {
    owner.enter()
    state == RowStore.Filling && records.hasRoom(partition) && {
      val address = pages.addWidened(row, room, Lanes.of(partition))
      address >= 0L && {
        records.add(address, partition, columns)
        true
      }
    }
  }

  /** Sorts all rows, with the partitions in an order of their own. False where there is no memory for it. */
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

  // ---- rows go out

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

  // what has been touched: never read, but the JIT does not know
  private var touched = 0L

  /** Touches some rows before the first of them goes out: the processor does several loads at once when they do not wait for one
    * another.
    */
  private def touch(): Unit = {
    val answer = UnsafeRow.calculateBitSetWidthInBytes(spec.wide.length) + 8L * spec.width
    val until = math.min(records.size, taken + RowStore.Touched)
    var sum = 0L
    var i = taken
    while (i < until) { sum += pages.touch(addressOf(i), answer); i += 1 }
    touched += sum
  }

  def next(): UnsafeRow = {
    owner.enter()
    if (file == null) {
      if (taken % RowStore.Touched == 0) touch()
      pages.point(row, addressOf(taken))
    } else {
      if (taken == firstInFile) pages.clear(-1)
      file.next(row)
    }
    taken += 1
    row
  }

  // ---- memory goes back

  private def relieve(trigger: MemoryConsumer): Long =
    if ((trigger eq pageMemory) || (trigger eq recordMemory)) 0L else owner.relieve(() => giveBack())

  private def giveBack(): Long =
    if (file != null) 0L
    else if (state == RowStore.Filling && records.size > 0) handOver()
    else if (state == RowStore.Draining && taken < records.size) writeOut()
    else 0L

  /** Writes all rows to disk, those of a partition as they came, unless that is done. Returns how many bytes that gave back. */
  def handOver(): Long = if (state == RowStore.HandedOver) 0L
  else {
    val before = held
    val n = records.size
    if (n > 0) {
      file = new RowFile(n)
      var i = 0
      while (i < records.places) {
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

  /** Writes the rows that have not gone out to disk, in their order. The page of the last one that has stays until the next. */
  private def writeOut(): Long = {
    val before = held
    val n = records.size
    val out = new UnsafeRow(spec.wide.length)
    val rest = new RowFile(n - taken)
    var i = taken
    while (i < n) {
      pages.point(out, addressOf(i))
      rest.write(out)
      i += 1
    }
    rest.close()
    spilled(rest.bytes)
    file = rest
    firstInFile = taken
    pages.clear(if (taken > 0) addressOf(taken - 1) else -1L)
    before - held
  }

  /** The rows that were handed over; each is shown until the next is asked for. */
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

  /** So many rows are touched before the first goes out. */
  final val Touched = 128
}
