package chronosketch.history.live

import java.util.Arrays

import chronosketch.memory.Meter

/** The exact multiset of the values that are alive, as a sorted list of blocks. Each block is a sorted array of at most
  * [[LiveBlock.MaxSize]] keys.
  *
  * Cost  a change takes two binary searches and a move inside one block. Rising and falling input fills its blocks. 8 bytes per distinct
  *       value in full blocks, 16 in blocks where some value has several copies
  */
private[history] final class LiveValues {
  private var blocks = new Array[LiveBlock](4)
  // the keys of block i are at least firsts(i), those of block i − 1 below it; firsts(0) is Long.MinValue
  private var firsts = new Array[Long](4)
  private var size = 0
  private var blockBytes = 0L

  private var elements = 0L
  private var keys = 0L

  /** The number of elements, counting copies. */
  def count: Long = elements

  /** The number of distinct keys. */
  def distinct: Long = keys

  /** Least and greatest key. There must be at least one. */
  def least: Long = blocks(0).keys(0)
  def greatest: Long = blocks(size - 1).keys(blocks(size - 1).size - 1)

  def sizeBytes: Long = blockBytes + Meter.longs(firsts.length) + Meter.references(blocks.length)

  /** Inserts `change` copies of a key, or deletes them if negative. Returns the change made: deletes stop at 0 copies. The caller has
    * checked that the count fits in 63 bits.
    */
  def change(key: Long, change: Long): Long =
    if (size == 0) {
      if (change <= 0) 0L else { insertBlock(0, new LiveBlock, Long.MinValue); insert(0, 0, key, change) }
    } else {
      val b = blockOf(key)
      val block = blocks(b)
      val at = Arrays.binarySearch(block.keys, 0, block.size, key)
      if (at >= 0) {
        val copies = block.copiesAt(at)
        if (change >= 0 || copies + change > 0) {
          blockBytes += block.setCopies(at, copies + change)
          elements += change
          change
        } else { remove(b, at); elements -= copies; -copies }
      } else if (change > 0) insert(b, -at - 1, key, change)
      else 0L
    }

  private def insert(b: Int, at: Int, key: Long, copies: Long): Long = {
    val block = blocks(b)
    if (block.size < LiveBlock.MaxSize) blockBytes += block.insert(at, key, copies)
    else if (b == size - 1 && at == block.size) {
      // rising keys leave full blocks behind
      insertBlock(b + 1, new LiveBlock, key)
      blockBytes += blocks(b + 1).insert(0, key, copies)
    } else if (b == 0 && at == 0) {
      insertBlock(0, new LiveBlock, Long.MinValue)
      firsts(1) = block.keys(0)
      blockBytes += blocks(0).insert(0, key, copies)
    } else {
      val upper = block.splitOff(LiveBlock.MaxSize / 2)
      insertBlock(b + 1, upper, upper.keys(0))
      val (into, position) =
        if (at <= block.size) (block, at) else (upper, at - block.size)
      blockBytes += into.insert(position, key, copies)
    }
    elements += copies
    keys += 1
    copies
  }

  private def remove(b: Int, at: Int): Unit = {
    val block = blocks(b)
    block.remove(at)
    keys -= 1
    if (block.size == 0) removeBlock(b)
    else if (block.size == LiveBlock.JoinSize) {
      if (b + 1 < size && blocks(b + 1).size <= LiveBlock.JoinSize) join(b)
      else if (b > 0 && blocks(b - 1).size <= LiveBlock.JoinSize) join(b - 1)
    }
  }

  /** Appends the next block to block b. */
  private def join(b: Int): Unit = {
    blockBytes += blocks(b).append(blocks(b + 1))
    removeBlock(b + 1)
  }

  private def insertBlock(b: Int, block: LiveBlock, first: Long): Unit = {
    if (size == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * size)
      firsts = Arrays.copyOf(firsts, 2 * size)
    }
    System.arraycopy(blocks, b, blocks, b + 1, size - b)
    System.arraycopy(firsts, b, firsts, b + 1, size - b)
    blocks(b) = block
    firsts(b) = first
    size += 1
    blockBytes += block.sizeBytes
  }

  private def removeBlock(b: Int): Unit = {
    blockBytes -= blocks(b).sizeBytes
    System.arraycopy(blocks, b + 1, blocks, b, size - b - 1)
    System.arraycopy(firsts, b + 1, firsts, b, size - b - 1)
    size -= 1
    blocks(size) = null
    if (size > 0) firsts(0) = Long.MinValue
  }

  private def blockOf(key: Long): Int = {
    var low = 0
    var high = size - 1
    while (low < high) {
      val mid = (low + high + 1) >>> 1
      if (firsts(mid) <= key) low = mid else high = mid - 1
    }
    low
  }

  /** A cursor over the keys in order. It is valid while nothing changes. */
  final class Walk {
    private var b = 0
    private var at = 0

    /** Moves to the first key at or above the given one. */
    def seek(key: Long): Unit = if (size > 0) {
      b = blockOf(key)
      val found = Arrays.binarySearch(blocks(b).keys, 0, blocks(b).size, key)
      at = if (found >= 0) found else -found - 1
      skipBlockEnd()
    }

    def atEnd: Boolean = b >= size
    def key: Long = blocks(b).keys(at)
    def copies: Long = blocks(b).copiesAt(at)
    def next(): Unit = { at += 1; skipBlockEnd() }

    private def skipBlockEnd(): Unit = if (at == blocks(b).size) { b += 1; at = 0 }
  }

  /** A cursor at the first key. */
  def walk: Walk = new Walk
}

/** A sorted array of keys, with an array of their numbers of copies if some key has more than one. */
private[history] final class LiveBlock {
  var keys: Array[Long] = new Array[Long](LiveBlock.MinCapacity)
  private var copies: Array[Long] = null
  var size: Int = 0

  def sizeBytes: Long =
    Meter.ObjectBytes / 4 + Meter.longs(keys.length) + (if (copies == null) 0L
                                                        else Meter.longs(copies.length))

  def copiesAt(i: Int): Long = if (copies == null) 1L else copies(i)

  /** Returns by how many bytes the block grew. */
  def setCopies(i: Int, n: Long): Long = {
    val before = sizeBytes
    ensureCopies(n)
    if (copies != null) copies(i) = n
    sizeBytes - before
  }

  private def ensureCopies(n: Long): Unit = if (n != 1L && copies == null) {
    copies = new Array[Long](keys.length)
    Arrays.fill(copies, 0, size, 1L)
  }

  /** Returns by how many bytes the block grew. */
  def insert(at: Int, key: Long, n: Long): Long = {
    val before = sizeBytes
    if (size == keys.length) grow(2 * size)
    ensureCopies(n)
    System.arraycopy(keys, at, keys, at + 1, size - at)
    keys(at) = key
    if (copies != null) {
      System.arraycopy(copies, at, copies, at + 1, size - at)
      copies(at) = n
    }
    size += 1
    sizeBytes - before
  }

  def remove(at: Int): Unit = {
    System.arraycopy(keys, at + 1, keys, at, size - at - 1)
    if (copies != null) System.arraycopy(copies, at + 1, copies, at, size - at - 1)
    size -= 1
  }

  /** The keys from `from` on, as a block of their own. */
  def splitOff(from: Int): LiveBlock = {
    val upper = new LiveBlock
    upper.grow(keys.length)
    upper.size = size - from
    System.arraycopy(keys, from, upper.keys, 0, upper.size)
    if (copies != null) {
      upper.copies = new Array[Long](upper.keys.length)
      System.arraycopy(copies, from, upper.copies, 0, upper.size)
    }
    size = from
    upper
  }

  /** Returns by how many bytes the block grew. */
  def append(next: LiveBlock): Long = {
    val before = sizeBytes
    if (keys.length < size + next.size) grow(LiveBlock.MaxSize)
    if (next.copies != null) ensureCopies(2L)
    System.arraycopy(next.keys, 0, keys, size, next.size)
    if (copies != null) {
      if (next.copies == null) Arrays.fill(copies, size, size + next.size, 1L)
      else System.arraycopy(next.copies, 0, copies, size, next.size)
    }
    size += next.size
    sizeBytes - before
  }

  private def grow(room: Int): Unit = {
    keys = Arrays.copyOf(keys, room)
    if (copies != null) copies = Arrays.copyOf(copies, room)
  }
}

private[history] object LiveBlock {
  val MinCapacity = 8
  val MaxSize = 128

  /** Two neighbouring blocks are joined when both have at most this many keys. */
  val JoinSize = 32
}
