package chronosketch.grouped

import java.util.Arrays

import chronosketch.memory.Meter

/** Allocates many small segments of numbers in large arrays, without an object for each.
  *
  * Guarantee  a segment lies in one chunk and keeps its address until it is freed or the arena is cleared
  * Cost       accessing a slot takes two loads; the first, of the chunk's address, mostly hits the cache. Freed segments are used
  *            again
  * Units      an address is a slot number: the chunk in the upper bits, the position within it in the lower 20
  *
  * @param sizes the number of slots of a segment, for each size class
  */
private[chronosketch] final class LongArena(sizes: Array[Int], meter: Meter) {
  private var chunks: Array[Array[Long]] = LongArena.NoChunks
  private var used = 0 // the number of chunks
  private var end = 0 // the number of used slots of the last chunk

  // for each size class a linked list of freed segments: the last slot of each has the address of the next one
  private val freed = Array.fill(sizes.length)(LongArena.None)

  def apply(address: Long): Long =
    chunks((address >>> LongArena.ChunkBits).toInt)((address & LongArena.InChunk).toInt)

  def update(address: Long, value: Long): Unit =
    chunks((address >>> LongArena.ChunkBits).toInt)((address & LongArena.InChunk).toInt) = value

  def copy(address: Long, into: Array[Long], at: Int, n: Int): Unit =
    System.arraycopy(
      chunks((address >>> LongArena.ChunkBits).toInt),
      (address & LongArena.InChunk).toInt,
      into,
      at,
      n
    )

  def put(address: Long, from: Array[Long], at: Int, n: Int): Unit =
    System.arraycopy(
      from,
      at,
      chunks((address >>> LongArena.ChunkBits).toInt),
      (address & LongArena.InChunk).toInt,
      n
    )

  /** Allocates a segment and returns its address. */
  def take(sizeClass: Int): Long = {
    val reused = freed(sizeClass)
    if (reused != LongArena.None) {
      freed(sizeClass) = this(reused + sizes(sizeClass) - 1)
      reused
    } else {
      val size = sizes(sizeClass)
      if (used == 0 || end + size > chunks(used - 1).length) makeRoom(size)
      val address = ((used - 1).toLong << LongArena.ChunkBits) | end
      end += size
      address
    }
  }

  def free(address: Long, sizeClass: Int): Unit = {
    this(address + sizes(sizeClass) - 1) = freed(sizeClass)
    freed(sizeClass) = address
  }

  /** Grows the first chunk, or adds one. The first chunk starts small, so that few groups take little memory; the others have the full
    * size.
    */
  private def makeRoom(size: Int): Unit =
    if (used == 1 && chunks(0).length < LongArena.ChunkSlots) {
      val before = chunks(0).length
      chunks(0) = Arrays.copyOf(chunks(0), math.min(LongArena.ChunkSlots, before * 2))
      meter.add(Meter.longs(chunks(0).length) - Meter.longs(before))
    } else {
      if (used == chunks.length) {
        val before = chunks.length
        chunks = Arrays.copyOf(chunks, math.max(8, before * 2))
        meter.add(Meter.references(chunks.length) - Meter.references(before))
      }
      chunks(used) = new Array[Long](if (used == 0) LongArena.FirstSlots else LongArena.ChunkSlots)
      meter.add(Meter.longs(chunks(used).length))
      used += 1
      end = 0
    }

  def clear(): Unit = {
    var i = 0
    while (i < used) { meter.add(-Meter.longs(chunks(i).length)); i += 1 }
    meter.add(-Meter.references(chunks.length))
    chunks = LongArena.NoChunks
    used = 0
    end = 0
    Arrays.fill(freed, LongArena.None)
  }
}

private[chronosketch] object LongArena {
  private val NoChunks = new Array[Array[Long]](0)
  final val ChunkBits = 20
  final val InChunk = 0xfffffL

  /** Just below eight megabytes with the header, so that chunks fill the garbage collector's regions of 2ⁿ bytes. Chunks are not
    * smaller, because every access reads the length of the chunk: the headers of hundreds of chunks, at distances of a power of 2,
    * would share a few lines of the cache.
    */
  private val ChunkSlots = (1 << ChunkBits) - 8
  private val FirstSlots = 1024
  private val None = -1L
}
