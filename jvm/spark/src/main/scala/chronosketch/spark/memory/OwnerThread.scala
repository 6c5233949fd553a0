package chronosketch.spark.memory

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
  def relieve(give: () => Long): Long = synchronized {
    if (current eq Thread.currentThread) give() else 0L
  }
}
