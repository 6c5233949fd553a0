package chronosketch.spark.memory

import org.apache.spark.memory.{MemoryConsumer, MemoryMode, SparkOutOfMemoryError, TaskMemoryManager}
import org.apache.spark.unsafe.memory.MemoryBlock

/** Manages memory of a task for rows and their structures. It is given back to Spark when another operator needs it.
  *
  * @param relieve frees as much memory as possible and returns the number of bytes
  */
final class SlidingMemory(manager: TaskMemoryManager, mode: MemoryMode, relieve: MemoryConsumer => Long)
    extends MemoryConsumer(manager, manager.pageSizeBytes, mode) {
  private var peak = 0L

  def peakBytes: Long = peak

  /** Allocates a page of at least n bytes. Returns null if Spark has no memory. */
  def page(bytes: Long): MemoryBlock = {
    val page =
      try allocatePage(bytes)
      catch { case _: SparkOutOfMemoryError => null }
    peak = math.max(peak, getUsed)
    page
  }

  def free(page: MemoryBlock): Unit = freePage(page)

  /** Requests n more bytes. Returns whether Spark grants them all; if not, none are kept. */
  def take(bytes: Long): Boolean = bytes == 0L || {
    val granted = acquireMemory(bytes)
    peak = math.max(peak, getUsed)
    if (granted < bytes) freeMemory(granted)
    granted >= bytes
  }

  def give(bytes: Long): Unit = freeMemory(bytes)

  override def spill(size: Long, trigger: MemoryConsumer): Long = relieve(trigger)
}
