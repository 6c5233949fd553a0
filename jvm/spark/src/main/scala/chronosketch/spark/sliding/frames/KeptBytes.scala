package chronosketch.spark.sliding.frames

import java.util.Arrays

import chronosketch.spark.memory.SlidingMemory

/** The arrays of bytes that frames still reach, by their numbers, which rise.
  *
  * Memory  is asked of Spark, and taken even where Spark refuses: a frame cannot be answered without its elements
  */
final class KeptBytes(memory: SlidingMemory) {
  // number n is at n − first
  private var all = new Array[Array[Byte]](64)
  private var first, next = 0L
  private var granted = 0L

  def apply(number: Long): Array[Byte] = all((number - first).toInt)

  /** Keeps an array and returns its number. */
  def add(bytes: Array[Byte]): Long = {
    val at = (next - first).toInt
    if (at == all.length) all = Arrays.copyOf(all, 2 * at)
    all(at) = bytes
    if (memory.take(bytes.length.toLong)) granted += bytes.length
    next += 1
    next - 1
  }

  /** The number of the next array. */
  def nextNumber: Long = next

  /** Drops the arrays of lesser numbers. */
  def dropBefore(number: Long): Unit = {
    val (gone, held) = ((number - first).toInt, (next - first).toInt)
    var bytes = 0L
    var i = 0
    while (i < gone) { bytes += all(i).length; i += 1 }
    System.arraycopy(all, gone, all, 0, held - gone)
    Arrays.fill(all.asInstanceOf[Array[AnyRef]], held - gone, held, null)
    first = number
    give(math.min(bytes, granted))
  }

  private def give(bytes: Long): Unit = {
    memory.give(bytes)
    granted -= bytes
  }

  def close(): Unit = {
    all = new Array[Array[Byte]](64)
    first = next
    give(granted)
  }
}
