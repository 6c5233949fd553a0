package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType, TimestampType}

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

/** The number of the pane that contains a time. Pane n is [from + n · width, from + (n + 1) · width) in microseconds. Times before the
  * epoch have negative numbers.
  */
final case class PaneNumber(time: Expression, width: Long, from: Long = 0L) extends UnaryExpression {
  override def prettyName: String = "pane"
  override def child: Expression = time
  override def nullIntolerant: Boolean = true
  override def dataType: DataType = LongType

  override protected def nullSafeEval(micros: Any): Any =
    Math.floorDiv(micros.asInstanceOf[Long] - from, width)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, micros => s"Math.floorDiv($micros - ${from}L, ${width}L)")

  override protected def withNewChildInternal(newChild: Expression): PaneNumber = copy(time = newChild)
}

/** The end of the last window that has a pane. Rows of the pane that arrive later change no window. */
final case class Deadline(pane: Expression, assigner: WindowAssigner) extends UnaryExpression {
  override def prettyName: String = "deadline"
  override def child: Expression = pane
  override def nullIntolerant: Boolean = true
  override def dataType: DataType = TimestampType

  override protected def nullSafeEval(number: Any): Any =
    assigner.end(assigner.lastWith(number.asInstanceOf[Long]))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val windows = ctx.addReferenceObj("assigner", assigner)
    defineCodeGen(ctx, ev, number => s"$windows.end($windows.lastWith($number))")
  }

  override protected def withNewChildInternal(newChild: Expression): Deadline = copy(pane = newChild)
}
