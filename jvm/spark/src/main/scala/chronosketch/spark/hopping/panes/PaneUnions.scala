package chronosketch.spark.hopping.panes

import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}

import chronosketch.families.Families
import chronosketch.sliding.Frames
import chronosketch.sliding.fold.{CellUnions, FewValues, Fold, SketchFold}
import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.summary.{Envelope, Summary}

/** The unions of a column of stored sketches over frames of panes. NULL is skipped, and so are the empty bytes that a task writes for it;
  * the union of no sketch is null.
  *
  * Cost  sketches of one pane, which several tasks have made, are united once and not for every frame that has the pane
  */
private[spark] final class PaneUnions(sketch: Expression) {
  import PaneUnions._

  private val context =
    Map("function" -> SketchMergeAggregate.Name, "sketch" -> Arguments.written("sketch", sketch))

  // mostly it is a column, which is read without an evaluation
  private val column = sketch match {
    case BoundReference(at, _, _) => at
    case _ => -1
  }

  private val unions = new CellUnions
  private val few = new FewValues
  private var areFew = false

  // how many panes with a sketch come before each row, which is the first of its pane
  private var before = new Array[Int](64)

  /** Rows come in the order of the numbers of their panes: row i is of pane number(i). */
  def begin(rows: ArrayBuffer[InternalRow], number: Int => Long, frames: NumberedFrames): Unit = {
    if (before.length <= rows.length) before = new Array[Int](2 * rows.length)
    areFew = Conditions.answering(context) {
      few.clear()
      placed(rows, number)(addFew(rows, _, _)) && few.begin(counted(frames))
    }
    if (!areFew) {
      val panes = new ArrayBuffer[AnyRef]
      placed(rows, number) { (from, until) =>
        val made = Conditions.answering(context)(united(rows, from, until))
        if (made == null) Empty
        else {
          panes += made
          Added
        }
      }
      unions.begin(counted(frames), new PaneFold(panes))
    }
  }

  /** Takes the rows of one pane after the other, and counts panes; false where one is declined. */
  private def placed(
      rows: ArrayBuffer[InternalRow],
      number: Int => Long
  )(take: (Int, Int) => Int): Boolean = {
    var panes = 0
    var i = 0
    var isTaken = true
    before(0) = 0
    while (isTaken && i < rows.length) {
      val pane = number(i)
      var end = i + 1
      while (end < rows.length && number(end) == pane) end += 1
      val taken = take(i, end)
      isTaken = taken != Declined
      if (taken == Added) panes += 1
      Arrays.fill(before, i + 1, end + 1, panes)
      i = end
    }
    isTaken
  }

  /** The frames over panes with a sketch. */
  private def counted(frames: NumberedFrames): Frames = {
    val n = frames.size
    val from, until = new Array[Int](n)
    var i = 0
    while (i < n) {
      from(i) = before(frames.begins(i))
      until(i) = before(frames.ends(i))
      i += 1
    }
    new Frames(from, until, n)
  }

  private def addFew(rows: ArrayBuffer[InternalRow], from: Int, until: Int): Int = {
    var taken = Empty
    var i = from
    while (taken != Declined && i < until) {
      val bytes = bytesOf(rows(i))
      if (bytes != null) taken = if (few.add(bytes)) Added else Declined
      i += 1
    }
    if (taken == Added && !few.endElement()) Declined else taken
  }

  private def bytesOf(row: InternalRow): Array[Byte] = {
    val bytes =
      if (column < 0) sketch.eval(row).asInstanceOf[Array[Byte]]
      else if (row.isNullAt(column)) null
      else row.getBinary(column)
    if (bytes == null || bytes.length == 0) null else bytes
  }

  /** The bytes of the only sketch of some rows, or the union of several. */
  private def united(rows: ArrayBuffer[InternalRow], from: Int, until: Int): AnyRef = {
    var first: Array[Byte] = null
    var union: Summary = null
    var i = from
    while (i < until) {
      val bytes = bytesOf(rows(i))
      if (bytes != null) {
        if (first == null) first = bytes
        else {
          if (union == null) union = Families.open(first)
          union = Summary.union(union, Families.open(bytes))
        }
      }
      i += 1
    }
    if (union == null) first else union
  }

  /** The union of the next frame: to be read before the next call, and not to be changed. */
  def next(): Summary = Conditions.answering(context)(if (areFew) few.next() else unions.next())

  /** Its bytes. */
  def nextSealed(): Array[Byte] = Conditions.answering(context) {
    if (areFew) few.nextSealed()
    else {
      val union = unions.next()
      if (union == null) null else Envelope.seal(union)
    }
  }
}

private object PaneUnions {

  /** What became of a pane. */
  private val Empty = 0
  private val Added = 1
  private val Declined = 2

  /** Joins panes: each is the bytes of its only sketch, or a summary. */
  private final class PaneFold(panes: ArrayBuffer[AnyRef]) extends Fold[Summary] {
    private val stored = new SketchFold(i => panes(i).asInstanceOf[Array[Byte]])

    def element(i: Int): Summary = panes(i) match {
      case union: Summary => stored.copy(union)
      case _ => stored.element(i)
    }

    def copy(joint: Summary): Summary = stored.copy(joint)
    def merge(older: Summary, newer: Summary): Summary = stored.merge(older, newer)
  }
}
