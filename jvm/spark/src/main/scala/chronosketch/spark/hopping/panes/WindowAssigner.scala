package chronosketch.spark.hopping.panes

/** Which windows does a time belong to? Windows have one size, and one starts every `slide`; all in microseconds. Window k is
  * [origin + k · slide, origin + k · slide + size), for each whole number k. A pane is the longest stretch of time that no window cuts.
  */
final case class WindowAssigner(size: Long, slide: Long, origin: Long = 0L) {
  val pane: Long = WindowAssigner.gcd(size, slide)

  /** How many panes a window has. */
  val panes: Long = size / pane

  /** How many panes the next window starts later. */
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
  val block: Long = math.max(WindowAssigner.LeastBlock, WindowAssigner.BlockOverlaps * (panes / step))

  def blockOf(window: Long): Long = Math.floorDiv(window, block)

  override def toString: String = s"size=$size µs, slide=$slide µs"
}

object WindowAssigner {

  /** A block is this many times as long as the stretch of windows that have one pane. */
  val BlockOverlaps = 8L
  private val LeastBlock = 64L

  @annotation.tailrec
  private def gcd(a: Long, b: Long): Long = if (b == 0) a else gcd(b, a % b)
}
