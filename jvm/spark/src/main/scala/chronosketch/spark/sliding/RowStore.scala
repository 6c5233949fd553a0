package chronosketch.spark.sliding

import java.util.Arrays

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.sort.PairSort
import chronosketch.spark.memory.{OneThread, SlidingMemory}
import chronosketch.spark.sql.SparkPrivates
import chronosketch.memory.Meter

/** Rows in pages of the task's memory; beside them, of each row, its group and a record of longs: where it is, its order key, the
  * elements' keys, and bits that say which of these are NULL. Sorting touches the records alone.
  *
  * Memory  asked of Spark before it is taken. Where it is refused, or another operator asks for it: rows that still come in go to
  *         disk, for Spark's sorter; rows that go out already do so from disk, and their records stay
  *
  * @param groups counts the memory of the groups' keys, which is asked for here too
  */
final class RowStore(spec: SlidingSpec, groups: Meter) extends OrderedRows {
  private val manager = SparkPrivates.memoryOf(TaskContext.get())
  private val pageMemory = new SlidingMemory(manager, manager.getTungstenMemoryMode, relieve)
  private val recordMemory = new SlidingMemory(manager, MemoryMode.ON_HEAP, relieve)
  private val pages = new RowPages(pageMemory)
  private val thread = new OneThread
  private val spilled = spec.metrics("spillSize")

  private val elements = spec.elements.length
  private val hasOrder = spec.orderKey.nonEmpty
  private val elementsFrom = if (hasOrder) 1 else 0
  private val hasFlags = spec.hasNulls
  private val width = 2 + elements + (if (hasFlags) 1 else 0)

  // records and groups in chunks, of which the first doubles up
  private var records = new Array[Array[Long]](16)
  private var groupOf = new Array[Array[Int]](16)
  private var capacity = 0
  private var n = 0
  private var granted, grantedToGroups = 0L

  // the least and the greatest key stand for NULL while rows are sorted
  private val nullKey = if (spec.nullsFirst) Long.MinValue else Long.MaxValue
  private var seesNullKey, seesKeyLikeNull = false

  private var state = RowStore.Filling
  private var file: RowFile = null
  private val row = new UnsafeRow(spec.wide.length)

  // sorted: of each place the row's number and its order key; where each group ends
  private var numbers: Array[Int] = _
  private var keys: Array[Long] = _
  private var groupEnds: Array[Int] = _
  private var loaded, loadedGroups, taken = 0

  def size: Int = n
  def peakBytes: Long = pageMemory.peakBytes + recordMemory.peakBytes

  /** Takes a row in, with its group and columns; false where there is no memory for it, or another operator has got it. */
  def add(wide: UnsafeRow, group: Int, columns: UnsafeRow): Boolean = {
    thread.enter()
    state == RowStore.Filling && (n < capacity || grow()) && {
      val address = pages.add(wide)
      address >= 0L && {
        record(address, group, columns)
        true
      }
    }
  }

  private def record(address: Long, group: Int, columns: UnsafeRow): Unit = {
    val at = n
    val chunk = records(at >>> RowStore.ChunkBits)
    val inChunk = at & RowStore.ChunkMask
    var to = inChunk * width
    var flags = 0L
    chunk(to) = address
    if (hasOrder) {
      val key = columns.getLong(0)
      if (columns.isNullAt(0)) {
        flags = 1L
        seesNullKey = true
        chunk(to + 1) = nullKey
      } else {
        if (key == nullKey) seesKeyLikeNull = true
        chunk(to + 1) = key
      }
    }
    to += 2
    var e = 0
    while (e < elements) {
      chunk(to) = columns.getLong(elementsFrom + e)
      if (columns.isNullAt(elementsFrom + e)) flags |= 2L << e
      to += 1
      e += 1
    }
    if (hasFlags) chunk(to) = flags
    groupOf(at >>> RowStore.ChunkBits)(inChunk) = group
    n = at + 1
  }

  private def rowBytes: Long = 8L * width + 4L

  private def take(bytes: Long): Boolean = recordMemory.take(bytes) && {
    granted += bytes
    true
  }

  private def give(bytes: Long): Unit = {
    recordMemory.give(bytes)
    granted -= bytes
  }

  /** What the groups have come to take. */
  private def takeForGroups(): Boolean = {
    val more = groups.bytes - grantedToGroups
    take(more) && {
      grantedToGroups += more
      true
    }
  }

  private def grow(): Boolean = takeForGroups() && {
    val chunk = n >>> RowStore.ChunkBits
    val isFirst = n < RowStore.ChunkRows
    val rows =
      if (isFirst) math.min(RowStore.ChunkRows, math.max(RowStore.FewestRows, 2 * n)) else RowStore.ChunkRows
    val before = if (isFirst) n else 0
    n < RowStore.MostRows && take(rowBytes * (rows - before)) && {
      if (chunk == records.length) {
        records = Arrays.copyOf(records, 2 * chunk)
        groupOf = Arrays.copyOf(groupOf, 2 * chunk)
      }
      if (before > 0) {
        records(chunk) = Arrays.copyOf(records(chunk), rows * width)
        groupOf(chunk) = Arrays.copyOf(groupOf(chunk), rows)
      } else {
        records(chunk) = new Array[Long](rows * width)
        groupOf(chunk) = new Array[Int](rows)
      }
      capacity += rows - before
      true
    }
  }

  // ---- all rows are there

  /** Sorts: groups in an order, rows inside by their key, equal keys as they came. False where there is no memory for it. */
  def sort(order: Array[Int]): Boolean = {
    thread.enter()
    val isSorted = state == RowStore.Filling && takeForGroups() &&
      take(RowStore.sortBytes(n, order.length)) && {
        state = RowStore.Sorting
        count(order)
        sortGroups()
      }
    if (isSorted) state = RowStore.Draining
    isSorted
  }

  /** Counting sort: the rows of each group together, as they came. */
  private def count(order: Array[Int]): Unit = {
    val placeOf = new Array[Int](order.length)
    var place = 0
    while (place < order.length) { placeOf(order(place)) = place; place += 1 }
    val next = new Array[Int](order.length)
    var i = 0
    while (i < n) {
      next(placeOf(groupOf(i >>> RowStore.ChunkBits)(i & RowStore.ChunkMask))) += 1
      i += 1
    }
    groupEnds = new Array[Int](order.length)
    var at = 0
    place = 0
    while (place < order.length) {
      val size = next(place)
      next(place) = at
      at += size
      groupEnds(place) = at
      place += 1
    }
    numbers = new Array[Int](n)
    keys = new Array[Long](n)
    i = 0
    while (i < n) {
      val chunk = i >>> RowStore.ChunkBits
      val inChunk = i & RowStore.ChunkMask
      val p = placeOf(groupOf(chunk)(inChunk))
      val to = next(p)
      next(p) = to + 1
      numbers(to) = i
      keys(to) = records(chunk)(inChunk * width + 1)
      i += 1
    }
  }

  private def sortGroups(): Boolean = {
    var largest = 0
    var from = 0
    var g = 0
    while (g < groupEnds.length) {
      largest = math.max(largest, groupEnds(g) - from)
      from = groupEnds(g)
      g += 1
    }
    val room = PairSort.bytes(largest)
    !hasOrder || (take(room) && {
      val sorter = new PairSort
      from = 0
      g = 0
      while (g < groupEnds.length) {
        sorter.sort(keys, numbers, from, groupEnds(g))
        if (spec.isRanged && !sortTies(sorter, from, groupEnds(g))) return false
        if (seesNullKey && seesKeyLikeNull) partNulls(from, groupEnds(g))
        from = groupEnds(g)
        g += 1
      }
      give(room)
      true
    })
  }

  /** Rows of one key by their place: they come from several tasks, in any order. */
  private def sortTies(sorter: PairSort, from: Int, until: Int): Boolean = {
    var places = new Array[Long](0)
    var first = from
    while (first < until) {
      var end = first + 1
      while (end < until && keys(end) == keys(first)) end += 1
      if (end - first > 1) {
        if (places.length < end - first) {
          if (!take(8L * (end - first - places.length))) return false
          places = new Array[Long](end - first)
        }
        var i = first
        while (i < end) {
          pages.point(row, addressOf(i))
          places(i - first) = row.getLong(spec.width)
          i += 1
        }
        val tied = Arrays.copyOfRange(numbers, first, end)
        sorter.sort(places, tied, 0, end - first)
        System.arraycopy(tied, 0, numbers, first, end - first)
      }
      first = end
    }
    give(8L * places.length)
    true
  }

  /** Of rows that have the key that stands for NULL those that are NULL go to the outside. */
  private def partNulls(from: Int, until: Int): Unit = {
    var (first, end) = (from, until)
    if (spec.nullsFirst) {
      end = from
      while (end < until && keys(end) == nullKey) end += 1
    } else {
      first = until
      while (first > from && keys(first - 1) == nullKey) first -= 1
    }
    val (nulls, others) = numbers.slice(first, end).partition(i => (flagsOf(i) & 1L) != 0L)
    System.arraycopy(
      if (spec.nullsFirst) nulls ++ others else others ++ nulls,
      0,
      numbers,
      first,
      end - first
    )
  }

  private def flagsOf(i: Int): Long =
    if (hasFlags) records(i >>> RowStore.ChunkBits)((i & RowStore.ChunkMask) * width + width - 1) else 0L

  // ---- rows go out

  def isExhausted: Boolean = loaded == n

  def load(window: SlidingWindow, rows: Int): Unit = {
    thread.enter()
    val until = math.min(n.toLong, loaded.toLong + math.max(rows, 0)).toInt
    window.reserve(until - loaded)
    while (loaded < until) {
      val stop = math.min(until, groupEnds(loadedGroups))
      copy(window, loaded, stop)
      window.filled += stop - loaded
      loaded = stop
      if (stop == groupEnds(loadedGroups)) {
        window.endGroup()
        loadedGroups += 1
      }
    }
  }

  private def copy(window: SlidingWindow, from: Int, until: Int): Unit = {
    val (order, flags, values) = (window.order, window.flags, window.values)
    var to = window.filled
    var i = from
    while (i < until) {
      val number = numbers(i)
      val chunk = records(number >>> RowStore.ChunkBits)
      val at = (number & RowStore.ChunkMask) * width + 2
      order(to) = keys(i)
      flags(to) = if (hasFlags) chunk(at + elements) else 0L
      var e = 0
      while (e < elements) {
        values(e)(to) = chunk(at + e)
        e += 1
      }
      to += 1
      i += 1
    }
  }

  private def addressOf(place: Int): Long = {
    val number = numbers(place)
    records(number >>> RowStore.ChunkBits)((number & RowStore.ChunkMask) * width)
  }

  // what has been touched: never read, but the JIT does not know
  private var touched = 0L

  /** Rows are touched before any goes out: of loads that do not wait for one another the processor does several at once. */
  private def touch(): Unit = {
    val answer = UnsafeRow.calculateBitSetWidthInBytes(spec.wide.length) + 8L * spec.width
    val until = math.min(n, taken + RowStore.Touched)
    var sum = 0L
    var i = taken
    while (i < until) { sum += pages.touch(addressOf(i), answer); i += 1 }
    touched += sum
  }

  def next(): UnsafeRow = {
    thread.enter()
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

  private var firstInFile = 0

  private def relieve(trigger: MemoryConsumer): Long =
    if ((trigger eq pageMemory) || (trigger eq recordMemory)) 0L else thread.relieve(() => giveBack())

  private def giveBack(): Long =
    if (file != null) 0L
    else if (state == RowStore.Filling && n > 0) handOver()
    else if (state == RowStore.Draining && taken < n) writeOut()
    else 0L

  /** All rows, as they came, go to disk, if they have not yet; what that gave back. Then there are none here. */
  def handOver(): Long = if (state == RowStore.HandedOver) 0L
  else {
    val before = held
    if (n > 0) {
      file = new RowFile(n)
      var i = 0
      while (i < n) {
        pages.point(row, records(i >>> RowStore.ChunkBits)((i & RowStore.ChunkMask) * width))
        file.write(row)
        i += 1
      }
      file.close()
      spilled.add(file.bytes)
    }
    state = RowStore.HandedOver
    free()
    before - held
  }

  private def held: Long = pageMemory.getUsed + recordMemory.getUsed

  /** The rows that have not gone out yet go to disk in their order. Of the last one that has, the page stays until the next. */
  private def writeOut(): Long = {
    val before = held
    val out = new UnsafeRow(spec.wide.length)
    val rest = new RowFile(n - taken)
    var i = taken
    while (i < n) {
      pages.point(out, addressOf(i))
      rest.write(out)
      i += 1
    }
    rest.close()
    spilled.add(rest.bytes)
    file = rest
    firstInFile = taken
    pages.clear(if (taken > 0) addressOf(taken - 1) else -1L)
    before - held
  }

  /** Rows that were handed over: an iterator over rows that are shown until the next is asked for. */
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
    records = new Array[Array[Long]](16)
    groupOf = new Array[Array[Int]](16)
    numbers = null
    keys = null
    give(granted)
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

  final val ChunkBits = 16
  final val ChunkRows = 1 << ChunkBits
  final val ChunkMask = ChunkRows - 1
  val FewestRows = 256

  /** So many rows are touched before the first goes out. */
  final val Touched = 128
  val MostRows: Int = 1 << 30

  def sortBytes(rows: Int, groups: Int): Long = 12L * rows + 12L * groups
}
