package chronosketch.spark.rows

import java.util.Arrays

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

import chronosketch.memory.Meter
import chronosketch.spark.sql.SparkPrivates

/** Numbers the groups of an aggregation 0, 1, 2, … in the order in which their keys first appear. */
trait GroupKeys {
  def size: Int

  /** Returns the group of a row of keys; a new key gets a new group. */
  def find(row: InternalRow): Int

  /** The keys of a group, valid until the next call. */
  def row(group: Int): InternalRow

  /** Removes all groups and frees their memory. */
  def clear(): Unit
}

object GroupKeys {

  /** Returns the groups in an order that their keys decide, not the order in which they appeared: sorted by the hash of the key, then by
    * its bytes. A group is the lower half of its entry.
    */
  def sorted(keys: GroupKeys, types: Seq[DataType]): Array[Long] = {
    val bytesOf = UnsafeProjection.create(types.toArray)
    val task = TaskContext.get()
    val entries = Array.tabulate(keys.size) { group =>
      SparkPrivates.endIfKilled(task, group.toLong)
      bytesOf(keys.row(group)).hashCode().toLong << 32 | group
    }
    Arrays.sort(entries)
    var from = 0
    while (from < entries.length) {
      var until = from + 1
      while (until < entries.length && (entries(until) ^ entries(from)) >>> 32 == 0) until += 1
      if (until - from > 1) {
        val sameHash = entries.slice(from, until)
          .sortWith((a, b) => Arrays.compareUnsigned(bytes(a), bytes(b)) < 0)
        System.arraycopy(sameHash, 0, entries, from, sameHash.length)
      }
      from = until
    }
    def bytes(entry: Long) = bytesOf(keys.row(entry.toInt)).getBytes
    entries
  }
}

/** The single group of an aggregation without grouping keys. It exists even if there are no rows. */
object OneGroup extends GroupKeys {
  def size: Int = 1
  def find(row: InternalRow): Int = 0
  def row(group: Int): InternalRow = InternalRow.empty
  def clear(): Unit = ()
}

/** A hash table that numbers groups by keys of any types, as long as equal values have equal bytes.
  *
  * Cost    three cache lines per look-up
  * Memory  16 to 32 bytes per group in addition to the bytes of its key
  *
  * Open addressing with linear probing. An entry of the table is the key's hash in the upper half and the number of its
  * group plus one in the lower half. The bytes of all keys are stored one after the other in chunks.
  */
final class RowKeys(columns: Int, meter: Meter) extends GroupKeys {
  private var table = new Array[Long](RowKeys.FewestEntries)
  private var chunks = new Array[Array[Long]](4)
  private var chunkCount = 0
  private var free = 0 // the first free word of the last chunk
  private var places = new Array[Long](RowKeys.FewestEntries / 2) // of each group's key: chunk and offset
  private var count = 0
  private val current = new UnsafeRow(columns)
  meter.add(8L * (table.length + places.length))

  def size: Int = count

  def find(row: InternalRow): Int = find(row.asInstanceOf[UnsafeRow])

  /** Returns the group of a key. A new key gets a new group, and its bytes are copied. */
  def find(key: UnsafeRow): Int = {
    val hash = RowKeys.hash(key)
    val t = table
    val mask = t.length - 1
    var at = hash & mask
    var entry = t(at)
    while (entry != 0L) {
      if ((entry >>> 32).toInt == hash && holds((entry.toInt) - 1, key)) return entry.toInt - 1
      at = (at + 1) & mask
      entry = t(at)
    }
    insert(key, hash)
  }

  private def holds(group: Int, key: UnsafeRow): Boolean = {
    val place = places(group)
    val chunk = chunks((place >>> 32).toInt)
    val at = place.toInt
    val bytes = key.getSizeInBytes
    chunk(at) == bytes && ByteArrayMethods.arrayEquals(
      chunk,
      RowKeys.offset(at + 1),
      key.getBaseObject,
      key.getBaseOffset,
      bytes.toLong
    )
  }

  def row(group: Int): UnsafeRow = {
    point(current, group)
    current
  }

  /** Points a row to the keys of a group. It is valid until the groups are cleared. */
  def point(row: UnsafeRow, group: Int): Unit = {
    val place = places(group)
    val chunk = chunks((place >>> 32).toInt)
    val at = place.toInt
    row.pointTo(chunk, RowKeys.offset(at + 1), chunk(at).toInt)
  }

  private def insert(key: UnsafeRow, hash: Int): Int = {
    if (2 * (count + 1) > table.length) grow()
    if (count == places.length) {
      places = Arrays.copyOf(places, 2 * count)
      meter.add(8L * count)
    }
    places(count) = append(key)
    count += 1
    enter(hash, count)
    count - 1
  }

  private def enter(hash: Int, groupPlusOne: Int): Unit = {
    val mask = table.length - 1
    var at = hash & mask
    while (table(at) != 0L) at = (at + 1) & mask
    table(at) = (hash.toLong << 32) | groupPlusOne
  }

  /** Stores a key and returns its place. Chunks double in size up to a limit, so that few groups take little memory. A key longer than
    * a chunk gets a chunk of its own.
    */
  private def append(key: UnsafeRow): Long = {
    val bytes = key.getSizeInBytes
    val words = 1 + (bytes + 7) / 8
    if (chunkCount == 0 || free + words > chunks(chunkCount - 1).length) {
      if (chunkCount == chunks.length) chunks = Arrays.copyOf(chunks, 2 * chunkCount)
      val usual = math.min(RowKeys.LargestChunk, RowKeys.SmallestChunk << math.min(chunkCount, 16))
      chunks(chunkCount) = new Array[Long](math.max(usual, words))
      meter.add(8L * chunks(chunkCount).length)
      chunkCount += 1
      free = 0
    }
    val chunk = chunks(chunkCount - 1)
    val at = free
    chunk(at) = bytes.toLong
    Platform.copyMemory(key.getBaseObject, key.getBaseOffset, chunk, RowKeys.offset(at + 1), bytes.toLong)
    free += words
    ((chunkCount - 1).toLong << 32) | at
  }

  private def grow(): Unit = {
    val before = table
    table = new Array[Long](2 * before.length)
    meter.add(8L * before.length)
    var i = 0
    while (i < before.length) {
      if (before(i) != 0L) enter((before(i) >>> 32).toInt, before(i).toInt)
      i += 1
    }
  }

  def clear(): Unit = {
    var bytes = 8L * (table.length + places.length)
    var i = 0
    while (i < chunkCount) { bytes += 8L * chunks(i).length; chunks(i) = null; i += 1 }
    meter.add(-bytes)
    if (table.length == RowKeys.FewestEntries) Arrays.fill(table, 0L)
    else {
      table = new Array[Long](RowKeys.FewestEntries)
      places = new Array[Long](RowKeys.FewestEntries / 2)
    }
    chunkCount = 0
    free = 0
    count = 0
    meter.add(8L * (table.length + places.length))
  }
}

private object RowKeys {

  /** 2⁶⁴ divided by the golden ratio, an odd number. */
  private val Multiplier = 0x9e3779b97f4a7c15L

  val FewestEntries = 256
  val SmallestChunk = 256
  val LargestChunk: Int = 1 << 16

  /** A hash of the bytes of a row, a word at a time. The hash code of a row mixes half a word at a time, and more often. */
  def hash(key: UnsafeRow): Int = {
    val base = key.getBaseObject
    val start = key.getBaseOffset
    val bytes = key.getSizeInBytes
    var hash = bytes.toLong
    var at = 0
    while (at < bytes) {
      hash = (hash ^ Platform.getLong(base, start + at)) * Multiplier
      hash ^= hash >>> 32
      at += 8
    }
    hash = hash * Multiplier
    (hash >>> 32).toInt
  }

  def offset(word: Int): Long = Platform.LONG_ARRAY_OFFSET + 8L * word
}
