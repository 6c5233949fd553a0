package chronosketch.spark.hopping.panes

/** Windows of one length, one beginning every `slide`, in microseconds: [origin + k · slide, origin + k · slide + size) for each whole
  * number k. A pane is the longest stretch of time that every window has all of or nothing.
  */
final case class Hop(size: Long, slide: Long, origin: Long = 0L) {
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
  def firstEndingAfter(micros: Long): Long = Math.floorDiv(micros - origin - size, slide) + 1

  /** The first pane of a window. */
  def firstOf(window: Long): Long = window * step

  def start(window: Long): Long = origin + window * slide
  def end(window: Long): Long = start(window) + size

  /** How many windows, one after another, are made in one task. */
  val block: Long = math.max(Hop.LeastBlock, Hop.BlockOverlaps * (panes / step))

  def blockOf(window: Long): Long = Math.floorDiv(window, block)
}

object Hop {

  /** How many times as long a block is as the stretch of windows that see one pane. */
  val BlockOverlaps = 8L
  private val LeastBlock = 64L

  @annotation.tailrec
  private def gcd(a: Long, b: Long): Long = if (b == 0) a else gcd(b, a % b)
}
