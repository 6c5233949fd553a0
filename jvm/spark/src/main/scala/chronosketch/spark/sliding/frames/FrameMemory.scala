package chronosketch.spark.sliding.frames

import chronosketch.Refusal
import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sql.Conditions

/** Reserves memory for the elements of frames. If Spark refuses it, only the query fails, with an error that says so. */
final class FrameMemory(memory: SlidingMemory) {
  private var granted = 0L

  /** Requests memory for frames of this many rows, to be kept until [[release]]. Fails if Spark refuses it. */
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

  /** Runs `body`. Fails with the same error if the heap has less memory than Spark granted. */
  def within[A](rows: => Long, bytes: => Long)(body: => A): A =
    try body
    catch { case _: OutOfMemoryError => refuse(rows, bytes) }
}

object FrameMemory {

  /** Bytes that are used without a request to Spark. */
  val AlwaysThere: Long = 16L << 20
}
