package chronosketch.moments

import chronosketch.counted.ElementCount

/** What blocks of rows are added up to. */
private[moments] trait Adds[T] {
  def count: Long
  def copy: T

  /** The rows of a block, which may have none. */
  def add(block: Block): Unit
}

/** What was added up, and the rows that wait for that: a question leaves no trace, for a block that is not full goes on waiting. */
private[moments] final class Waiting[T <: Adds[T]](val settled: T, block: Block) {
  def count: Long = ElementCount.of(settled.count + block.count)

  /** Adds up what waits. */
  def settle(): Unit = {
    settled.add(block)
    block.clear()
  }

  /** All rows that came, added up. */
  def seen: T =
    if (block.rows == 0) settled
    else {
      count
      val all = settled.copy
      all.add(block)
      all
    }
}
