package chronosketch.spark.memory

import org.apache.spark.memory.{MemoryConsumer, MemoryMode, SparkOutOfMemoryError, TaskMemoryManager}
import org.apache.spark.unsafe.memory.MemoryBlock

/** Manages memory of a task for rows and their structures. It is given back to Spark when another operator needs it.
  *
  * @param freeOrSpill frees as much memory as possible and returns the number of bytes
  */
final class SlidingMemory(manager: TaskMemoryManager, mode: MemoryMode, freeOrSpill: MemoryConsumer => Long)
    extends MemoryConsumer(manager, manager.pageSizeBytes, mode) {
  private var peak = 0L
  private val refusals = new TestRefusals

  def peakBytes: Long = peak

  /** Allocates a page of at least n bytes. Returns null if Spark has no memory. */
  def page(bytes: Long): MemoryBlock = {
    val page =
      try if (refusals.refuses()) null else allocatePage(bytes)
      catch { case _: SparkOutOfMemoryError => null }
    peak = math.max(peak, getUsed)
    page
  }

  def free(page: MemoryBlock): Unit = freePage(page)

  /** Requests n more bytes. Returns whether Spark grants them all; if not, none are kept. */
  def take(bytes: Long): Boolean = bytes == 0L || !refusals.refuses() && {
    val granted = acquireMemory(bytes)
    peak = math.max(peak, getUsed)
    if (granted < bytes) freeMemory(granted)
    granted >= bytes
  }

  def give(bytes: Long): Unit = freeMemory(bytes)

  override def spill(size: Long, trigger: MemoryConsumer): Long = freeOrSpill(trigger)
}

/** Tracks the thread that currently works with a task's rows. Another thread of the same task, for example one that feeds a Python
  * worker, may ask for the memory of these rows, but must not get it in the middle of a row.
  *
  * Cost  a comparison per row
  */
final class OwnerThread {
  @volatile private var current: Thread = null

  /** Makes the current thread the owner of the rows. */
  def enter(): Unit = if (current ne Thread.currentThread) synchronized { current = Thread.currentThread }

  /** Frees memory and returns the number of bytes. Frees nothing if another thread owns the rows. */
  def freeIfOwner(give: () => Long): Long = synchronized {
    if (current eq Thread.currentThread) give() else 0L
  }
}
