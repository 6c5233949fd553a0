package chronosketch.grouped

import java.util.Arrays

import chronosketch.memory.Meter

/** Where do many small runs of numbers lie, without an object for each?
  *
  * Guarantee  a segment of a class lies in one chunk and never moves in address until it is given back or all is cleared
  * Cost       a slot: two loads, of which the chunk's address is in the cache; segments given back are used again
  * Units      addresses are slots: the chunk in the upper bits, the place in it in the lower 20
  * Merge      none
  */
private[chronosketch] final class LongArena(sizes: Array[Int], meter: Meter) {
  private var chunks: Array[Array[Long]] = LongArena.NoChunks
  private var used = 0 // chunks
  private var end = 0 // slots taken of the last one

  // of each class the segment given back last; it has the address of the one before it in its last slot
  private val free = Array.fill(sizes.length)(LongArena.None)

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

  def take(sizeClass: Int): Long = {
    val again = free(sizeClass)
    if (again != LongArena.None) {
      free(sizeClass) = this(again + sizes(sizeClass) - 1)
      again
    } else {
      val size = sizes(sizeClass)
      if (used == 0 || end + size > chunks(used - 1).length) makeRoom(size)
      val address = ((used - 1).toLong << LongArena.ChunkBits) | end
      end += size
      address
    }
  }

  def giveBack(address: Long, sizeClass: Int): Unit = {
    this(address + sizes(sizeClass) - 1) = free(sizeClass)
    free(sizeClass) = address
  }

  /** The first chunk grows, so that few groups take little; the others are whole. */
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
    Arrays.fill(free, LongArena.None)
  }
}

private[chronosketch] object LongArena {
  private val NoChunks = new Array[Array[Long]](0)
  final val ChunkBits = 20
  final val InChunk = 0xfffffL

  /** Just below eight megabytes with the header, so that a garbage collector's regions of 2ⁿ bytes are filled. Not less: every
    * access asks a chunk for its length, and hundreds of headers at such distances share a few lines of the cache.
    */
  private val ChunkSlots = (1 << ChunkBits) - 8
  private val FirstSlots = 1024
  private val None = -1L
}
