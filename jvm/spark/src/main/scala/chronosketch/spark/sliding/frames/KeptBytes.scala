package chronosketch.spark.sliding.frames

import java.util.Arrays

import chronosketch.spark.memory.SlidingMemory

/** Keeps the byte arrays that current and later frames may read. Arrays are numbered in ascending order.
  *
  * Memory  is requested from Spark, and used even if Spark refuses: a frame can't be answered without its elements
  */
final class KeptBytes(memory: SlidingMemory) {
  // array n is at index n − first
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

  /** Drops the arrays with smaller numbers. */
  def dropBefore(number: Long): Unit = {
    val (dropped, size) = ((number - first).toInt, (next - first).toInt)
    var bytes = 0L
    var i = 0
    while (i < dropped) { bytes += all(i).length; i += 1 }
    System.arraycopy(all, dropped, all, 0, size - dropped)
    Arrays.fill(all.asInstanceOf[Array[AnyRef]], size - dropped, size, null)
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
