package chronosketch.history.live

import java.util.Arrays

import chronosketch.memory.Meter

/** Which values are alive now, and how many copies of each?
  *
  * Guarantee  exact
  * Cost       a change is two binary searches and a move inside one block; rising and falling input fills its blocks. 8 bytes a
  *            distinct value in full blocks, 16 in blocks where some value has copies
  * Merge      none
  *
  * A sorted list of blocks, each a sorted array of at most [[LiveBlock.Most]] keys.
  */
private[history] final class LiveValues {
  private var blocks = new Array[LiveBlock](4)
  // no key of block i is below firsts(i), none of block i − 1 is above; nothing is below the first
  private var firsts = new Array[Long](4)
  private var size = 0
  private var blockBytes = 0L

  private var elements = 0L
  private var keys = 0L

  /** Elements, copies counted. */
  def count: Long = elements

  /** Different keys. */
  def distinct: Long = keys

  /** Least and greatest key; of values that are not empty. */
  def least: Long = blocks(0).keys(0)
  def greatest: Long = blocks(size - 1).keys(blocks(size - 1).size - 1)

  def sizeBytes: Long = blockBytes + Meter.longs(firsts.length) + Meter.references(blocks.length)

  /** So many copies more, or fewer where negative. How many it really changed by: nothing falls below 0. The caller has made sure
    * that the count fits 63 bits.
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
    if (block.size < LiveBlock.Most) blockBytes += block.insert(at, key, copies)
    else if (b == size - 1 && at == block.size) {
      // rising keys leave full blocks behind
      insertBlock(b + 1, new LiveBlock, key)
      blockBytes += blocks(b + 1).insert(0, key, copies)
    } else if (b == 0 && at == 0) {
      insertBlock(0, new LiveBlock, Long.MinValue)
      firsts(1) = block.keys(0)
      blockBytes += blocks(0).insert(0, key, copies)
    } else {
      val upper = block.splitOff(LiveBlock.Most / 2)
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
    else if (block.size == LiveBlock.Few) {
      if (b + 1 < size && blocks(b + 1).size <= LiveBlock.Few) join(b)
      else if (b > 0 && blocks(b - 1).size <= LiveBlock.Few) join(b - 1)
    }
  }

  /** A block takes over the keys of the next. */
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

  /** A walk over the keys in order, while nothing changes. */
  final class Walk {
    private var b = 0
    private var at = 0

    /** To the first key that is not below this one. */
    def seek(key: Long): Unit = if (size > 0) {
      b = blockOf(key)
      val found = Arrays.binarySearch(blocks(b).keys, 0, blocks(b).size, key)
      at = if (found >= 0) found else -found - 1
      settle()
    }

    def atEnd: Boolean = b >= size
    def key: Long = blocks(b).keys(at)
    def copies: Long = blocks(b).copiesAt(at)
    def next(): Unit = { at += 1; settle() }

    private def settle(): Unit = if (at == blocks(b).size) { b += 1; at = 0 }
  }

  /** A walk that begins at the first key. */
  def walk: Walk = new Walk
}

/** A sorted array of keys, and of their copies where some key has more than one. */
private[history] final class LiveBlock {
  var keys: Array[Long] = new Array[Long](LiveBlock.Least)
  private var copies: Array[Long] = null
  var size: Int = 0

  def sizeBytes: Long =
    Meter.ObjectBytes / 4 + Meter.longs(keys.length) + (if (copies == null) 0L
                                                        else Meter.longs(copies.length))

  def copiesAt(i: Int): Long = if (copies == null) 1L else copies(i)

  /** How many bytes more it takes then. */
  def setCopies(i: Int, n: Long): Long = {
    val before = sizeBytes
    makeCopies(n)
    if (copies != null) copies(i) = n
    sizeBytes - before
  }

  private def makeCopies(n: Long): Unit = if (n != 1L && copies == null) {
    copies = new Array[Long](keys.length)
    Arrays.fill(copies, 0, size, 1L)
  }

  /** How many bytes more it takes then. */
  def insert(at: Int, key: Long, n: Long): Long = {
    val before = sizeBytes
    if (size == keys.length) grow(2 * size)
    makeCopies(n)
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

  /** How many bytes more it takes then. */
  def append(next: LiveBlock): Long = {
    val before = sizeBytes
    if (keys.length < size + next.size) grow(LiveBlock.Most)
    if (next.copies != null) makeCopies(2L)
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
  val Least = 8
  val Most = 128

  /** Two neighbours with no more than this are joined. */
  val Few = 32
}
