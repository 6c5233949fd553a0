package chronosketch.spark.sliding.frames

import chronosketch.spark.memory.SlidingMemory

/** Makes room for the columns and frames of more rows. Requests the memory from Spark before it allocates.
  *
  * @param rowBytes bytes that one more row needs in all
  */
final class ColumnRoom(
    columns: FrameColumns,
    drivers: Array[FrameDriver],
    rowBytes: Long,
    memory: SlidingMemory,
    frames: FrameMemory
) {
  private var granted = 0L

  /** The bytes that n rows need. */
  def bytes(rows: Long): Long = rowBytes * rows

  /** Makes room for n more rows if there isn't enough. Returns whether there is room now. */
  def has(rows: Int): Boolean = {
    val filled = columns.filled
    filled + rows <= columns.capacity || {
      val more = math.max(filled + rows, filled + filled / 2)
      if (isGranted(bytes(more.toLong))) grow(more)
      else isGranted(bytes(filled.toLong + rows)) && grow(filled + rows)
    }
  }

  /** Makes room for n more rows, or fails. */
  def reserve(rows: Int): Unit = if (!has(rows)) refuse(rows)

  def refuse(rows: Int): Nothing = {
    val all = columns.filled.toLong + rows
    frames.refuse(all, bytes(all))
  }

  // a few rows need no request
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

  /** Gives back memory if there is far more than `fewest` rows need. No row may be settled then. */
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
