package chronosketch

/** Ends a long computation whose result nobody waits for any more. Long loops call it between pieces of work, so that its owner, such as
  * a task of Spark, ends within a second.
  */
trait Cancellation {

  /** Throws an exception if the computation was cancelled. */
  def check(): Unit

  /** Checks at one row in 4096, for loops over rows that are cheaper than a check. */
  final def checkAt(row: Int): Unit = if ((row & 4095) == 0) check()
}

object Cancellation {

  /** For computations that nothing cancels. */
  val Never: Cancellation = () => ()
}
