package chronosketch.spark.rows

import java.util.Arrays

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

import chronosketch.memory.Meter

/** A hash table that numbers strings of bytes 0, 1, 2, … in the order in which they first appear.
  *
  * Guarantee  equal bytes get the same number until the table is cleared
  * Cost       three cache lines per look-up
  * Memory     at most 56 bytes per key in addition to its bytes, which are rounded up to 8
  *
  * Open addressing with linear probing. An entry of the table is the key's hash in the upper half and its number plus one in the lower
  * half. The bytes of all keys are stored one after the other in chunks, each after their length.
  */
private[rows] final class ByteKeys(meter: Meter) {
  private var table = new Array[Long](ByteKeys.FewestEntries)
  private var chunks = new Array[Array[Long]](4)
  private var chunkCount = 0
  private var free = 0 // the first free word of the last chunk
  private var places = new Array[Long](ByteKeys.FewestEntries / 2) // of each key: chunk and offset
  private var count = 0
  meter.add(8L * (table.length + places.length))

  def size: Int = count

  /** Returns the number of a key. A new key gets a new number, and its bytes are copied. */
  def find(base: AnyRef, start: Long, bytes: Int): Int = {
    val hash = ByteKeys.hash(base, start, bytes)
    val t = table
    val mask = t.length - 1
    var at = hash & mask
    var entry = t(at)
    while (entry != 0L) {
      if ((entry >>> 32).toInt == hash && holds(entry.toInt - 1, base, start, bytes)) return entry.toInt - 1
      at = (at + 1) & mask
      entry = t(at)
    }
    insert(base, start, bytes, hash)
  }

  /** Reserves the next number for NULL, which has no [[chunk]], [[offset]] and [[length]]. */
  def numberForNull(): Int = {
    append(ByteKeys.NoPlace)
    count - 1
  }

  private def holds(number: Int, base: AnyRef, start: Long, bytes: Int): Boolean =
    length(number) == bytes && ByteArrayMethods.arrayEquals(
      chunk(number),
      offset(number),
      base,
      start,
      bytes.toLong
    )

  /** The array that has the bytes of a key. */
  def chunk(number: Int): Array[Long] = chunks((places(number) >>> 32).toInt)

  /** The offset at which the bytes of a key begin in its [[chunk]]. */
  def offset(number: Int): Long = ByteKeys.offset(places(number).toInt + 1)

  def length(number: Int): Int = {
    val place = places(number)
    chunks((place >>> 32).toInt)(place.toInt).toInt
  }

  private def insert(base: AnyRef, start: Long, bytes: Int, hash: Int): Int = {
    if (2 * (count + 1) > table.length) grow()
    append(store(base, start, bytes))
    enter(hash, count)
    count - 1
  }

  private def append(place: Long): Unit = {
    if (count == places.length) {
      places = Arrays.copyOf(places, 2 * count)
      meter.add(8L * count)
    }
    places(count) = place
    count += 1
  }

  private def enter(hash: Int, numberPlusOne: Int): Unit = {
    val mask = table.length - 1
    var at = hash & mask
    while (table(at) != 0L) at = (at + 1) & mask
    table(at) = (hash.toLong << 32) | numberPlusOne
  }

  /** Stores a key and returns its place. Chunks double in size up to a limit, so that few keys take little memory. A key longer than a
    * chunk gets a chunk of its own.
    */
  private def store(base: AnyRef, start: Long, bytes: Int): Long = {
    val words = 1 + ((bytes + 7L) >>> 3).toInt
    if (chunkCount == 0 || free + words > chunks(chunkCount - 1).length) {
      if (chunkCount == chunks.length) chunks = Arrays.copyOf(chunks, 2 * chunkCount)
      val usual = math.min(ByteKeys.LargestChunk, ByteKeys.SmallestChunk << math.min(chunkCount, 16))
      chunks(chunkCount) = new Array[Long](math.max(usual, words))
      meter.add(8L * chunks(chunkCount).length)
      chunkCount += 1
      free = 0
    }
    val chunk = chunks(chunkCount - 1)
    val at = free
    chunk(at) = bytes.toLong
    Platform.copyMemory(base, start, chunk, ByteKeys.offset(at + 1), bytes.toLong)
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

  /** Removes all keys and frees their memory. */
  def clear(): Unit = {
    var bytes = 8L * (table.length + places.length)
    var i = 0
    while (i < chunkCount) { bytes += 8L * chunks(i).length; chunks(i) = null; i += 1 }
    meter.add(-bytes)
    if (table.length == ByteKeys.FewestEntries) Arrays.fill(table, 0L)
    else table = new Array[Long](ByteKeys.FewestEntries)
    if (places.length > ByteKeys.FewestEntries / 2) places = new Array[Long](ByteKeys.FewestEntries / 2)
    chunkCount = 0
    free = 0
    count = 0
    meter.add(8L * (table.length + places.length))
  }
}

private object ByteKeys {

  /** 2⁶⁴ divided by the golden ratio, an odd number. */
  private val Multiplier = 0x9e3779b97f4a7c15L
  private val NoPlace = -1L

  val FewestEntries = 256
  val SmallestChunk = 256
  val LargestChunk: Int = 1 << 16

  /** A hash of bytes, a word at a time. The hash code of a row mixes half a word at a time, and more often. */
  def hash(base: AnyRef, start: Long, bytes: Int): Int = {
    val until = start + bytes
    var hash = bytes.toLong
    var at = start
    while (at <= until - 8) {
      hash = mix(hash, Platform.getLong(base, at))
      at += 8
    }
    if (at < until) hash = mix(hash, rest(base, start, until, bytes))
    ((hash * Multiplier) >>> 32).toInt
  }

  private def mix(hash: Long, word: Long): Long = {
    val mixed = (hash ^ word) * Multiplier
    mixed ^ (mixed >>> 32)
  }

  /** A word of the last bytes, which may overlap the words before it. */
  private def rest(base: AnyRef, start: Long, until: Long, bytes: Int): Long =
    if (bytes > 8) Platform.getLong(base, until - 8)
    else if (bytes >= 4)
      (Platform.getInt(base, start).toLong << 32) | (Platform.getInt(base, until - 4) & 0xffffffffL)
    else
      (Platform.getByte(
        base,
        start
      ) & 0xffL) << 16 | (Platform.getByte(base, start + bytes / 2) & 0xffL) << 8 |
        (Platform.getByte(base, until - 1) & 0xffL)

  def offset(word: Int): Long = Platform.LONG_ARRAY_OFFSET + 8L * word
}
