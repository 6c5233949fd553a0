package chronosketch.spark.sliding

import java.util.Arrays

import chronosketch.spark.memory.SlidingMemory

/** Arrays of bytes by numbers that rise: those of rows that frames still reach.
  *
  * Memory  asked of Spark; what is refused is taken nevertheless: a frame cannot be answered without its elements
  */
final class KeptBytes(memory: SlidingMemory) {
  // number n is at n − first
  private var all = new Array[Array[Byte]](64)
  private var first, next = 0L
  private var granted = 0L

  def apply(number: Long): Array[Byte] = all((number - first).toInt)

  /** Its number. */
  def add(bytes: Array[Byte]): Long = {
    val at = (next - first).toInt
    if (at == all.length) all = Arrays.copyOf(all, 2 * at)
    all(at) = bytes
    if (memory.take(bytes.length.toLong)) granted += bytes.length
    next += 1
    next - 1
  }

  /** What the next one will be. */
  def nextNumber: Long = next

  /** Drops those of lesser numbers. */
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
