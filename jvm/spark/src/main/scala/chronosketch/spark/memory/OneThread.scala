package chronosketch.spark.memory

/** Which thread works with rows now: another of the same task, one that feeds a Python worker say, may ask for their memory, and
  * must not get it in the midst of a row.
  *
  * Cost  a comparison a row
  */
final class OneThread {
  @volatile private var current: Thread = null

  /** This thread it is, from now on. */
  def enter(): Unit = if (current ne Thread.currentThread) synchronized { current = Thread.currentThread }

  /** What is given back, nothing where it is another thread's turn. */
  def relieve(give: () => Long): Long = synchronized {
    if (current eq Thread.currentThread) give() else 0L
  }
}
