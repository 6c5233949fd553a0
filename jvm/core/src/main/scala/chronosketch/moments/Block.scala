package chronosketch.moments

import java.util.Arrays

import chronosketch.memory.Meter

/** How do rows wait until there are enough of them to add up at once?
  *
  * Guarantee  blocks end after every [[Block.Rows]] rows, whatever way the rows came: rows are of one key, or of a pair
  * Cost       a store and a comparison a row and column, and another store from the first row on that comes more than once; up to 2 KiB
  *            of keys a column, and as much for how often they come, in steps, once rows wait
  */
private[moments] final class Block(isOfPairs: Boolean) {
  var first = new Array[Long](0)
  var second: Array[Long] = if (isOfPairs) new Array[Long](0) else null
  var rows = 0

  private var weights: Array[Long] = null
  private var isWeighted = false
  private var weight = 0L

  /** How often each row comes; null where each comes once. */
  def copies: Array[Long] = if (isWeighted) weights else null

  def count: Long = if (isWeighted) weight else rows.toLong

  def isFull: Boolean = rows == Block.Rows
  def hasRoom: Boolean = rows < first.length

  /** Of a block that is not full. */
  def makeRoom(): Unit = {
    val room = if (rows == 0) Block.First else math.min(Block.Rows, 4 * rows)
    first = Arrays.copyOf(first, room)
    if (isOfPairs) second = Arrays.copyOf(second, room)
    if (weights != null) weights = Arrays.copyOf(weights, room)
  }

  /** Where there is room. */
  def add(key: Long): Unit = {
    first(rows) = key
    if (isWeighted) { weights(rows) = 1L; weight += 1 }
    rows += 1
  }

  def add(key: Long, other: Long): Unit = {
    second(rows) = other
    add(key)
  }

  /** The last row comes so often. */
  def repeat(times: Long): Unit = {
    if (!isWeighted) {
      if (weights == null) weights = new Array[Long](first.length)
      Arrays.fill(weights, 0, rows, 1L)
      weight = rows.toLong
      isWeighted = true
    }
    weights(rows - 1) = times
    weight += times - 1
  }

  def clear(): Unit = {
    rows = 0
    weight = 0L
    isWeighted = false
  }

  def sizeBytes: Long =
    Meter.longs(first.length) * (if (isOfPairs) 2 else 1) +
      (if (weights == null) 0L else Meter.longs(weights.length))
}

private[moments] object Block {

  /** So many divisions fewer than rows. */
  val Rows = 256

  /** Room for so many first. */
  private val First = 16

  /** The number of elements that rows from `from` until `until` are. */
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
