package chronosketch.spark.sliding.rows

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.memory.Meter
import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sliding.frames.FrameColumns

/** Stores a record for each row of a task: its partition's number, and longs for the row's address, its order key, its values and
  * their NULL bits. Rows are sorted by their records alone.
  *
  * Records are numbered. Those of a lane are stored together, a piece at a time, in the order of their arrival.
  *
  * Memory  is requested from Spark before it is allocated
  *
  * @param partitions counts the memory of the partitions' keys, which is requested here, too
  */
private final class RowRecords(spec: RowSpec, partitions: Meter, memory: SlidingMemory) {
  private val elements = spec.elements.length
  private val hasOrder = spec.orderKey.nonEmpty
  private val elementsFrom = if (hasOrder) 1 else 0
  private val hasFlags = spec.hasNulls
  private val width = 2 + elements + (if (hasFlags) 1 else 0)
  private val rowBytes = 8L * width + 4L

  // in chunks; the first one grows by doubling
  private var records = new Array[Array[Long]](16)
  private var partitionOf = new Array[Array[Int]](16)
  private var capacity = 0 // records that the chunks have room for
  private var cut = 0 // records in the pieces of all lanes
  private var n = 0

  // for each lane: the number of its next record, the end of its piece, and the length of its piece
  private val nextOf, endOf, longest = new Array[Int](Lanes.Count)

  private var granted, grantedToPartitions = 0L

  // NULL is stored as the least or the greatest key
  private val nullKey = if (spec.nullsFirst) Long.MinValue else Long.MaxValue
  private var seesNullKey, seesKeyLikeNull = false

  def size: Int = n

  /** The end of the record numbers. Not every number below it has a record. */
  def places: Int = cut

  def isFilled(i: Int): Boolean = partition(i) != RowRecords.NotFilled

  /** Makes room for one more record of a partition. Returns false if Spark refuses the memory. */
  def reserve(partition: Int): Boolean = {
    val lane = Lanes.of(partition)
    nextOf(lane) < endOf(lane) || cutPiece(lane)
  }

  /** Gives a lane its next piece. Returns false if Spark refuses the memory. */
  private def cutPiece(lane: Int): Boolean = (cut < capacity || grow()) && {
    val wanted = math.min(RowRecords.LongestPiece, math.max(RowRecords.ShortestPiece, 2 * longest(lane)))
    val end = math.min(cut + wanted, capacity)
    nextOf(lane) = cut
    endOf(lane) = end
    longest(lane) = wanted
    var i = cut
    while (i < end) {
      partitionOf(i >>> RowRecords.ChunkBits)(i & RowRecords.ChunkMask) = RowRecords.NotFilled
      i += 1
    }
    cut = end
    true
  }

  /** Adds the record of a row. There must be room for it. */
  def add(address: Long, partition: Int, columns: UnsafeRow): Unit = {
    val lane = Lanes.of(partition)
    val at = nextOf(lane)
    val chunk = records(at >>> RowRecords.ChunkBits)
    val inChunk = at & RowRecords.ChunkMask
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
    partitionOf(at >>> RowRecords.ChunkBits)(inChunk) = partition
    nextOf(lane) = at + 1
    n += 1
  }

  /** Whether some rows have a NULL and others the key that NULL is stored as. */
  def mixesNulls: Boolean = seesNullKey && seesKeyLikeNull

  /** Whether NULL is stored as this key. */
  def standsForNull(key: Long): Boolean = key == nullKey

  def address(i: Int): Long = records(i >>> RowRecords.ChunkBits)((i & RowRecords.ChunkMask) * width)
  def key(i: Int): Long = records(i >>> RowRecords.ChunkBits)((i & RowRecords.ChunkMask) * width + 1)
  def partition(i: Int): Int = partitionOf(i >>> RowRecords.ChunkBits)(i & RowRecords.ChunkMask)
  def flags(i: Int): Long =
    if (hasFlags) records(i >>> RowRecords.ChunkBits)((i & RowRecords.ChunkMask) * width + width - 1) else 0L

  /** Appends the columns of the records `from` until `until` in the order. Their order keys are in `keys`. */
  def appendTo(columns: FrameColumns, numbers: Array[Int], keys: Array[Long], from: Int, until: Int): Unit = {
    val (order, flags, values) = (columns.order, columns.flags, columns.values)
    var to = columns.filled
    var i = from
    while (i < until) {
      val number = numbers(i)
      val chunk = records(number >>> RowRecords.ChunkBits)
      val at = (number & RowRecords.ChunkMask) * width + 2
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
    columns.append(until - from)
  }

  // ---- memory

  /** Requests n more bytes from Spark. Returns false if it refuses them. */
  def take(bytes: Long): Boolean = memory.take(bytes) && {
    granted += bytes
    true
  }

  def give(bytes: Long): Unit = {
    memory.give(bytes)
    granted -= bytes
  }

  /** Requests the memory that the partitions' keys have used since the last call. Returns false if Spark refuses it. */
  def takeForPartitions(): Boolean = {
    val more = partitions.bytes - grantedToPartitions
    take(more) && {
      grantedToPartitions += more
      true
    }
  }

  private def grow(): Boolean = takeForPartitions() && {
    val chunk = capacity >>> RowRecords.ChunkBits
    val isFirst = capacity < RowRecords.ChunkRows
    val rows =
      if (isFirst) math.min(RowRecords.ChunkRows, math.max(RowRecords.FewestRows, 2 * capacity))
      else RowRecords.ChunkRows
    val before = if (isFirst) capacity else 0
    capacity < RowRecords.MostRows && take(rowBytes * (rows - before)) && {
      if (chunk == records.length) {
        records = Arrays.copyOf(records, 2 * chunk)
        partitionOf = Arrays.copyOf(partitionOf, 2 * chunk)
      }
      if (before > 0) {
        records(chunk) = Arrays.copyOf(records(chunk), rows * width)
        partitionOf(chunk) = Arrays.copyOf(partitionOf(chunk), rows)
      } else {
        records(chunk) = new Array[Long](rows * width)
        partitionOf(chunk) = new Array[Int](rows)
      }
      capacity += rows - before
      true
    }
  }

  /** Frees all memory. */
  def clear(): Unit = {
    records = new Array[Array[Long]](16)
    partitionOf = new Array[Array[Int]](16)
    give(granted)
  }
}

private object RowRecords {
  private final val ChunkBits = 16
  private final val ChunkRows = 1 << ChunkBits
  private final val ChunkMask = ChunkRows - 1
  private val FewestRows = 256
  private val ShortestPiece = 8
  private val LongestPiece = 512
  private final val NotFilled = -1
  private val MostRows: Int = 1 << 30
}
