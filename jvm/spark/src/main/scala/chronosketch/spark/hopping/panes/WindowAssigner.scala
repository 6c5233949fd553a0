package chronosketch.spark.hopping.panes

/** Assigns times to windows. All windows have one size, and one starts every `slide`; both are in microseconds. Window k is
  * [origin + k · slide, origin + k · slide + size), for each integer k. A pane is the longest period inside which no window starts or ends.
  */
final case class WindowAssigner(size: Long, slide: Long, origin: Long = 0L) {
  val pane: Long = WindowAssigner.gcd(size, slide)

  /** How many panes a window has. */
  val panes: Long = size / pane

  /** How many panes later the next window starts. */
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

  /** The number of consecutive windows that one task merges. */
  val block: Long = math.max(WindowAssigner.LeastBlock, WindowAssigner.BlockOverlaps * (panes / step))

  def blockOf(window: Long): Long = Math.floorDiv(window, block)

  override def toString: String = s"size=$size µs, slide=$slide µs"
}

object WindowAssigner {

  /** A block has this many times as many windows as contain one pane. */
  val BlockOverlaps = 8L
  private val LeastBlock = 64L

  @annotation.tailrec
  private def gcd(a: Long, b: Long): Long = if (b == 0) a else gcd(b, a % b)
}
