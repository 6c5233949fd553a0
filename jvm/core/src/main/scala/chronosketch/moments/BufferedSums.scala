package chronosketch.moments

import chronosketch.counted.ElementCount

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
  def count: Long = ElementCount.of(flushed.count + block.count)

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
