package chronosketch.spark.hopping

/** Windows of one length, one beginning every `slide`, in microseconds: [k · slide, k · slide + size) for each whole number k. A
  * pane is the longest stretch of time that every window has all of or nothing.
  */
final case class Hop(size: Long, slide: Long) {
  val pane: Long = Hop.gcd(size, slide)

  /** Of a window. */
  val panes: Long = size / pane

  /** From the beginning of a window to that of the next. */
  val step: Long = slide / pane

  /** The first window that has a pane. */
  def firstWith(number: Long): Long = Math.floorDiv(number - panes, step) + 1

  /** The last window that has a pane. */
  def lastWith(number: Long): Long = Math.floorDiv(number, step)

  /** The first window that ends after a time. */
  def firstEndingAfter(micros: Long): Long = Math.floorDiv(micros - size, slide) + 1

  /** The first pane of a window. */
  def firstOf(window: Long): Long = window * step

  def start(window: Long): Long = window * slide
  def end(window: Long): Long = start(window) + size
}

object Hop {
  @annotation.tailrec
  private def gcd(a: Long, b: Long): Long = if (b == 0) a else gcd(b, a % b)
}
