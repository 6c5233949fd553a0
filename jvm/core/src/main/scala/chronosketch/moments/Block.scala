package chronosketch.moments

import java.util.Arrays

import chronosketch.counted.ElementCount
import chronosketch.memory.Meter

/** Buffers rows, each with one key or a pair of keys, until there are enough to add them up at once.
  *
  * Guarantee  a block ends after every [[Block.Rows]] rows, however the rows arrive
  * Cost       one store and one comparison per row and column, and one more store from the first repeated row on; up to 2 KiB of
  *            keys per column, and as much for the number of copies, allocated in steps
  */
private[moments] final class Block(hasPairs: Boolean) {
  var first = new Array[Long](0)
  var second: Array[Long] = if (hasPairs) new Array[Long](0) else null
  var rows = 0

  private var copyCounts: Array[Long] = null
  private var hasCopies = false
  private var totalCopies = 0L

  /** The number of copies of each row; null if all rows are single. */
  def copies: Array[Long] = if (hasCopies) copyCounts else null

  def count: Long = if (hasCopies) totalCopies else rows.toLong

  def isFull: Boolean = rows == Block.Rows
  def hasRoom: Boolean = rows < first.length

  /** Enlarges the arrays. The block must not be full. */
  def grow(): Unit = {
    val room = if (rows == 0) Block.InitialRows else math.min(Block.Rows, 4 * rows)
    first = Arrays.copyOf(first, room)
    if (hasPairs) second = Arrays.copyOf(second, room)
    if (copyCounts != null) copyCounts = Arrays.copyOf(copyCounts, room)
  }

  /** Adds a row. There must be room for it. */
  def add(key: Long): Unit = {
    first(rows) = key
    if (hasCopies) { copyCounts(rows) = 1L; totalCopies += 1 }
    rows += 1
  }

  def add(key: Long, secondKey: Long): Unit = {
    second(rows) = secondKey
    add(key)
  }

  /** Sets the number of copies of the last row. */
  def setCopies(times: Long): Unit = {
    if (!hasCopies) {
      if (copyCounts == null) copyCounts = new Array[Long](first.length)
      Arrays.fill(copyCounts, 0, rows, 1L)
      totalCopies = rows.toLong
      hasCopies = true
    }
    copyCounts(rows - 1) = times
    totalCopies += times - 1
  }

  def clear(): Unit = {
    rows = 0
    totalCopies = 0L
    hasCopies = false
  }

  def sizeBytes: Long =
    Meter.longs(first.length) * (if (hasPairs) 2 else 1) +
      (if (copyCounts == null) 0L else Meter.longs(copyCounts.length))
}

private[moments] object Block {

  /** Rows per block. Larger blocks need fewer divisions. */
  val Rows = 256

  /** Initial capacity. */
  private val InitialRows = 16

  /** Number of elements in the rows from `from` until `until`. */
  def count(copies: Array[Long], from: Int, until: Int): Long =
    if (copies == null) (until - from).toLong
    else {
      var n = 0L
      var i = from
      while (i < until) { n += copies(i); i += 1 }
      n
    }

  def least(keys: Array[Long], from: Int, until: Int): Long = {
    var least = Long.MaxValue
    var i = from
    while (i < until) { least = math.min(least, keys(i)); i += 1 }
    least
  }

  def greatest(keys: Array[Long], from: Int, until: Int): Long = {
    var greatest = Long.MinValue
    var i = from
    while (i < until) { greatest = math.max(greatest, keys(i)); i += 1 }
    greatest
  }
}

/** Sums to which blocks of rows are added. */
private[moments] trait Accumulator[T] {
  def count: Long
  def copy: T

  /** Adds the rows of a block, which may be empty. */
  def add(block: Block): Unit
}

/** Sums together with a buffer of rows that are not added yet. A query does not flush the buffer, so that it does not change how
  * rows are grouped into blocks.
  */
private[moments] final class BufferedSums[T <: Accumulator[T]](val flushed: T, block: Block) {
  def count: Long = ElementCount.checked(flushed.count + block.count)

  /** Adds the buffered rows to the sums. */
  def flush(): Unit = {
    flushed.add(block)
    block.clear()
  }

  /** The sums of all rows, including the buffered ones. */
  def snapshot: T =
    if (block.rows == 0) flushed
    else {
      count
      val all = flushed.copy
      all.add(block)
      all
    }
}
