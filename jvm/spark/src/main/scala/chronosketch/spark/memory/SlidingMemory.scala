package chronosketch.spark.memory

import org.apache.spark.memory.{MemoryConsumer, MemoryMode, SparkOutOfMemoryError, TaskMemoryManager}
import org.apache.spark.unsafe.memory.MemoryBlock

/** Memory of a task, for rows or for what is kept beside them, that goes back to Spark when another operator needs it.
  *
  * @param relieve gives back what it can and says how many bytes that were
  */
final class SlidingMemory(manager: TaskMemoryManager, mode: MemoryMode, relieve: MemoryConsumer => Long)
    extends MemoryConsumer(manager, manager.pageSizeBytes, mode) {
  private var most = 0L

  def peakBytes: Long = most

  /** A page that holds so many bytes at least; null where Spark has none. */
  def page(bytes: Long): MemoryBlock = {
    val page =
      try allocatePage(bytes)
      catch { case _: SparkOutOfMemoryError => null }
    most = math.max(most, getUsed)
    page
  }

  def free(page: MemoryBlock): Unit = freePage(page)

  /** Whether Spark grants so many bytes more. */
  def take(bytes: Long): Boolean = bytes == 0L || {
    val granted = acquireMemory(bytes)
    most = math.max(most, getUsed)
    if (granted < bytes) freeMemory(granted)
    granted >= bytes
  }

  def give(bytes: Long): Unit = freeMemory(bytes)

  override def spill(size: Long, trigger: MemoryConsumer): Long = relieve(trigger)
}
