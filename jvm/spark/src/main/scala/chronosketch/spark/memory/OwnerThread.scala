package chronosketch.spark.memory

/** The thread that works with a task's rows now. Another thread of the same task, one that feeds a Python worker say, may ask for the
  * memory of these rows, and must not get it in the midst of a row.
  *
  * Cost  a comparison a row
  */
final class OwnerThread {
  @volatile private var current: Thread = null

  /** This thread works with the rows from now on. */
  def enter(): Unit = if (current ne Thread.currentThread) synchronized { current = Thread.currentThread }

  /** Gives memory back and returns how many bytes; gives nothing where another thread works with the rows. */
  def relieve(give: () => Long): Long = synchronized {
    if (current eq Thread.currentThread) give() else 0L
  }
}
