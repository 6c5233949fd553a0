package chronosketch.spark.sql

/** Runs a cleanup to its end, although the thread that needs it has been interrupted or is interrupted meanwhile. Spark waits when
  * it frees cached rows, and an interrupt would end that.
  */
private[spark] object Uninterrupted {

  /** Runs the cleanup in a thread of its own, and waits for it. The calling thread stays interrupted if it was. */
  def run(cleanup: => Unit): Unit = {
    var failure: Option[Throwable] = None
    val thread = new Thread("chronosketch cleanup") {
      override def run(): Unit =
        try cleanup
        catch { case e: Throwable => failure = Some(e) }
    }
    thread.setDaemon(true)
    thread.start()
    var interrupted = false
    while (thread.isAlive) {
      try thread.join()
      catch { case _: InterruptedException => interrupted = true }
    }
    if (interrupted) Thread.currentThread().interrupt()
    failure.foreach(throw _)
  }
}
