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

  // of the rows, and what was asked for: not for each row anew
  private var needed, asked, granted = 0L

  def add(row: InternalRow): Unit = {
    rows += row
    needed += bytes(row)
    if (needed > asked) {
      val more = needed - asked + KeptPanes.Step
      asked += more
      if (memory.take(more)) granted += more
    }
  }

  /** Drops the first n rows. */
  def drop(n: Int): Unit = {
    var i = 0
    while (i < n) { needed -= bytes(rows(i)); i += 1 }
    rows.remove(0, n)
    if (asked - needed > 2 * KeptPanes.Step) give(asked - needed - KeptPanes.Step)
  }

  def clear(): Unit = {
    rows.clear()
    needed = 0
    if (asked > 2 * KeptPanes.Step) give(asked)
  }

  private def give(less: Long): Unit = {
    asked -= less
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
