package chronosketch.spark.sliding.frames

import chronosketch.Refusal
import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sql.Conditions

/** Memory for the elements of frames. Where there is none, the query fails with an error that says so, and the task lives on. */
final class FrameMemory(memory: SlidingMemory) {
  private var granted = 0L

  /** Asks for so many bytes, for frames of so many rows, until they are released. */
  def ask(rows: Long, bytes: Long): Unit = {
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

  /** Runs `body`; fails with the same error where the heap has less than Spark has granted. */
  def within[A](rows: => Long, bytes: => Long)(body: => A): A =
    try body
    catch { case _: OutOfMemoryError => refuse(rows, bytes) }
}

object FrameMemory {

  /** So many bytes are taken without asking Spark. */
  val AlwaysThere: Long = 16L << 20
}
