package chronosketch.spark.sliding.frames

import chronosketch.Refusal
import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sql.Conditions

/** Reserves memory for the elements of frames. If Spark refuses it, only the query fails, with an error that says so. */
final class FrameMemory(memory: SlidingMemory) {
  private var granted = 0L

  /** Requests memory for frames of this many rows, to be kept until [[release]]. Fails if Spark refuses it. */
  def reserve(rows: Long, bytes: Long): Unit = {
    if (rows > FrameColumns.MostRows) refuse(rows, bytes)
    if (bytes > granted && bytes > FrameMemory.AlwaysThere) {
      if (!memory.take(bytes - granted)) refuse(rows, bytes)
      granted = bytes
    }
  }

  def release(): Unit = {
    memory.give(granted)
    granted = 0L
  }

  def refuse(rows: Long, bytes: Long): Nothing = throw Conditions.runtimeError(
    Refusal("CHRONOSKETCH_FRAME_TOO_LARGE", "rows" -> rows.toString, "bytes" -> bytes.toString),
    Map.empty
  )

  /** Runs `body`. Fails with the same error if the heap has less memory than Spark granted. */
  def within[A](rows: => Long, bytes: => Long)(body: => A): A =
    try body
    catch { case _: OutOfMemoryError => refuse(rows, bytes) }
}

object FrameMemory {

  /** Bytes that are used without a request to Spark. */
  val AlwaysThere: Long = 16L << 20
}

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
  def tryReserve(rows: Int): Boolean = {
    val filled = columns.filled
    filled + rows <= columns.capacity || {
      val more = math.max(filled + rows, filled + filled / 2)
      if (take(bytes(more.toLong))) grow(more)
      else take(bytes(filled.toLong + rows)) && grow(filled + rows)
    }
  }

  /** Makes room for n more rows, or fails. */
  def reserve(rows: Int): Unit = if (!tryReserve(rows)) refuse(rows)

  def refuse(rows: Int): Nothing = {
    val all = columns.filled.toLong + rows
    frames.refuse(all, bytes(all))
  }

  /** Requests memory for the rows. Returns false if Spark refuses it. A few rows need no request. */
  private def take(bytes: Long): Boolean =
    bytes <= math.max(granted, FrameMemory.AlwaysThere) || memory.take(bytes - granted) && {
      granted = bytes
      true
    }

  private def grow(length: Int): Boolean =
    try {
      drivers.foreach(_.reserve(length))
      columns.resize(length)
    } catch { case _: OutOfMemoryError => false }

  /** Gives back memory if there is far more than `fewest` rows need. No frame may be resolved then. */
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
