package chronosketch.spark.hopping.panes

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.spark.memory.SlidingMemory

/** Keeps the rows of a key's panes that later windows need.
  *
  * Memory  requested from Spark. The rows are kept even if Spark refuses: a window can't be computed without its panes
  */
private[spark] final class KeptPanes(memory: SlidingMemory) {
  val rows = new ArrayBuffer[InternalRow]

  // bytes of the rows, bytes requested from Spark in large steps, and bytes granted
  private var needed, requested, granted = 0L

  def add(row: InternalRow): Unit = {
    rows += row
    needed += bytes(row)
    if (needed > requested) {
      val more = needed - requested + KeptPanes.Step
      requested += more
      if (memory.take(more)) granted += more
    }
  }

  /** Drops the first n rows. */
  def drop(n: Int): Unit = {
    var i = 0
    while (i < n) { needed -= bytes(rows(i)); i += 1 }
    rows.remove(0, n)
    if (requested - needed > 2 * KeptPanes.Step) give(requested - needed - KeptPanes.Step)
  }

  def clear(): Unit = {
    rows.clear()
    needed = 0
    if (requested > 2 * KeptPanes.Step) give(requested)
  }

  private def give(less: Long): Unit = {
    requested -= less
    val back = math.min(less, granted)
    memory.give(back)
    granted -= back
  }

  private def bytes(row: InternalRow): Long = row match {
    case unsafe: UnsafeRow => unsafe.getSizeInBytes.toLong
    case _ => 0L
  }
}

private object KeptPanes {
  private val Step = 1L << 16
}
