package chronosketch.spark.sliding.frames

import chronosketch.spark.memory.SlidingMemory

/** Room for the columns of more rows, and for their frames, asked of Spark before it is taken.
  *
  * @param rowBytes what is taken in all for one row more
  */
final class ColumnRoom(
    columns: FrameColumns,
    drivers: Array[FrameDriver],
    rowBytes: Long,
    memory: SlidingMemory,
    frames: FrameMemory
) {
  private var granted = 0L

  /** What so many rows take. */
  def bytes(rows: Long): Long = rowBytes * rows

  /** Whether there is room for so many rows more, now. */
  def has(rows: Int): Boolean = {
    val filled = columns.filled
    filled + rows <= columns.capacity || {
      val more = math.max(filled + rows, filled + filled / 2)
      if (isGranted(bytes(more.toLong))) grow(more)
      else isGranted(bytes(filled.toLong + rows)) && grow(filled + rows)
    }
  }

  /** Makes such room, or fails. */
  def reserve(rows: Int): Unit = if (!has(rows)) refuse(rows)

  def refuse(rows: Int): Nothing = {
    val all = columns.filled.toLong + rows
    frames.refuse(all, bytes(all))
  }

  // a few rows always have room
  private def isGranted(bytes: Long): Boolean =
    bytes <= math.max(granted, FrameMemory.AlwaysThere) || memory.take(bytes - granted) && {
      granted = bytes
      true
    }

  private def grow(length: Int): Boolean =
    try {
      drivers.foreach(_.reserve(length))
      columns.resize(length)
    } catch { case _: OutOfMemoryError => false }

  /** Gives back what is far more than so many rows need, where no row is settled. */
  def shrink(fewest: Int): Unit = {
    val length = math.max(columns.filled, fewest)
    if (columns.capacity > 4 * length && columns.resize(length)) {
      drivers.foreach(_.resize(length))
      release()
    }
  }

  def release(): Unit = {
    memory.give(granted)
    granted = 0L
  }
}
