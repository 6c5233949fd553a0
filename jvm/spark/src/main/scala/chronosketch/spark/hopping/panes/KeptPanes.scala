package chronosketch.spark.hopping.panes

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.spark.memory.SlidingMemory

/** The rows of a key's panes that windows to come still see.
  *
  * Memory  asked of Spark, where there is a task to ask for; what is refused is taken nevertheless: a window cannot be made without its
  *         panes
  */
private[spark] final class KeptPanes(memory: Option[SlidingMemory]) {
  val rows = new ArrayBuffer[InternalRow]
  private var granted = 0L

  def add(row: InternalRow): Unit = {
    rows += row
    memory.foreach(m => if (m.take(bytes(row))) granted += bytes(row))
  }

  /** Drops the first n. */
  def drop(n: Int): Unit = {
    if (memory.nonEmpty) {
      var sum = 0L
      var i = 0
      while (i < n) { sum += bytes(rows(i)); i += 1 }
      give(math.min(sum, granted))
    }
    rows.remove(0, n)
  }

  def clear(): Unit = {
    rows.clear()
    give(granted)
  }

  private def give(bytes: Long): Unit = {
    memory.foreach(_.give(bytes))
    granted -= bytes
  }

  private def bytes(row: InternalRow): Long = row match {
    case unsafe: UnsafeRow => unsafe.getSizeInBytes.toLong
    case _ => 0L
  }
}
