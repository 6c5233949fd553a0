package chronosketch.spark.hopping.panes

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.spark.memory.SlidingMemory

/** The rows of a key's panes that windows to come still need.
  *
  * Memory  asked of Spark. Where Spark refuses, the rows are kept all the same: a window cannot be made without its panes
  */
private[spark] final class KeptPanes(memory: SlidingMemory) {
  val rows = new ArrayBuffer[InternalRow]
  private var granted = 0L

  def add(row: InternalRow): Unit = {
    rows += row
    if (memory.take(bytes(row))) granted += bytes(row)
  }

  /** Drops the first n rows. */
  def drop(n: Int): Unit = {
    var sum = 0L
    var i = 0
    while (i < n) { sum += bytes(rows(i)); i += 1 }
    give(math.min(sum, granted))
    rows.remove(0, n)
  }

  def clear(): Unit = {
    rows.clear()
    give(granted)
  }

  private def give(bytes: Long): Unit = {
    memory.give(bytes)
    granted -= bytes
  }

  private def bytes(row: InternalRow): Long = row match {
    case unsafe: UnsafeRow => unsafe.getSizeInBytes.toLong
    case _ => 0L
  }
}
