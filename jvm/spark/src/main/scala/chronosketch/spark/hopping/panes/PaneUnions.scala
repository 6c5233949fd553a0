package chronosketch.spark.hopping.panes

import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}

import chronosketch.families.Families
import chronosketch.grouped.PartList
import chronosketch.sliding.Frames
import chronosketch.sliding.fold.{CellUnions, FewValues, Fold, SketchFold}
import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sql.{Arguments, Conditions, SparkPrivates}
import chronosketch.summary.{Envelope, Summary}

/** Merges a column of stored sketches over frames of panes. NULL is skipped, and so are the empty bytes that a task writes for it. The
  * union of no sketch is null.
  *
  * Cost  sketches of one pane from several tasks are merged once, not for every frame with the pane
  */
private[spark] final class PaneUnions(sketch: Expression) {
  import PaneUnions._

  private val task = TaskContext.get()
  private val context =
    Map("function" -> SketchMergeAggregate.Name, "sketch" -> Arguments.written("sketch", sketch))

  // the index of the column; it is read directly, because the sketch is rarely another expression
  private val column = sketch match {
    case BoundReference(at, _, _) => at
    case _ => -1
  }

  private val unions = new CellUnions
  private val few = new FewValues
  private val sketches = new ArrayBuffer[Array[Byte]]
  private var areFew = false

  // the number of panes with a sketch before each row that is the first of its pane
  private var before = new Array[Int](64)

  /** Starts a list of frames. Row i belongs to pane number(i), and rows must be in the order of their panes. */
  def begin(rows: ArrayBuffer[InternalRow], number: Int => Long, frames: NumberedFrames): Unit = {
    end()
    if (before.length <= rows.length) before = new Array[Int](2 * rows.length)
    areFew = Conditions.answering(context) {
      foreachPane(rows, number)(addFew(rows, _, _)) && few.begin(presentFrames(frames))
    }
    if (!areFew) {
      val panes = new ArrayBuffer[AnyRef](rows.length)
      foreachPane(rows, number) { (from, until) =>
        val union = Conditions.answering(context)(merged(rows, from, until))
        if (union == null) Empty
        else {
          panes += union
          Added
        }
      }
      unions.begin(presentFrames(frames), new PaneFold(panes, row => bytesOf(rows(row)), task))
    }
  }

  /** Calls `take` with the rows of each pane, and counts the panes. Returns false if `take` declined one. */
  private def foreachPane(
      rows: ArrayBuffer[InternalRow],
      number: Int => Long
  )(take: (Int, Int) => Int): Boolean = {
    var panes = 0
    var i = 0
    var isAccepted = true
    before(0) = 0
    while (isAccepted && i < rows.length) {
      SparkPrivates.endIfKilled(task)
      val pane = number(i)
      var end = i + 1
      while (end < rows.length && number(end) == pane) end += 1
      val outcome = take(i, end)
      isAccepted = outcome != Declined
      if (outcome == Added) panes += 1
      Arrays.fill(before, i + 1, end + 1, panes)
      i = end
    }
    isAccepted
  }

  /** The frames as ranges of panes with a sketch. */
  private def presentFrames(frames: NumberedFrames): Frames = {
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
    var outcome = Empty
    var i = from
    while (outcome != Declined && i < until) {
      val bytes = bytesOf(rows(i))
      if (bytes != null) outcome = if (few.add(bytes)) Added else Declined
      i += 1
    }
    if (outcome == Added && !few.endElement()) Declined else outcome
  }

  private def bytesOf(row: InternalRow): Array[Byte] = {
    val bytes =
      if (column < 0) sketch.eval(row).asInstanceOf[Array[Byte]]
      else if (row.isNullAt(column)) null
      else row.getBinary(column)
    if (bytes == null || bytes.length == 0) null else bytes
  }

  /** The union of the sketches of some rows; the number of the row if there is only one sketch. */
  private def merged(rows: ArrayBuffer[InternalRow], from: Int, until: Int): AnyRef = {
    sketches.clear()
    var last = from
    var i = from
    while (i < until) {
      val bytes = bytesOf(rows(i))
      if (bytes != null) {
        sketches += bytes
        last = i
      }
      i += 1
    }
    if (sketches.isEmpty) null
    else if (sketches.length == 1) Integer.valueOf(last)
    else {
      // rows of one pane are in no particular order
      val sorted = sketches.toArray
      PartList.sort(sorted)
      sorted.iterator.map(Families.open).reduceLeft((union, sketch) => Summary.union(union, sketch))
    }
  }

  /** Releases the unions of the last list of frames. */
  def end(): Unit = {
    few.clear()
    unions.end()
  }

  /** How often many unions were computed at once. Between two such times the memory changes little. */
  def fills: Long = unions.fills

  /** The memory of the unions, besides the rows. */
  def heldBytes: Long = if (areFew) 0L else unions.heldBytes(SketchFold.sizeOf)

  /** Returns the union of the next frame. It is valid until the next call and must not be changed. */
  def next(): Summary = Conditions.answering(context)(if (areFew) few.next() else unions.next())

  /** Returns the encoded union of the next frame. */
  def nextSealed(): Array[Byte] = Conditions.answering(context) {
    if (areFew) few.nextSealed()
    else {
      val union = unions.next()
      if (union == null) null else Envelope.seal(union)
    }
  }
}

private object PaneUnions {

  /** The outcomes of a pane: it has no sketch, its sketches were added, or they can't be added. */
  private val Empty = 0
  private val Added = 1
  private val Declined = 2

  /** Merges panes. Each is a summary, or the number of the row with its only sketch: a copy of the bytes would need as much memory as
    * the rows.
    */
  private final class PaneFold(panes: ArrayBuffer[AnyRef], bytesOf: Int => Array[Byte], task: TaskContext)
      extends Fold[Summary] {
    private val stored = new SketchFold(i => bytesOf(panes(i).asInstanceOf[Integer]))

    def element(i: Int): Summary = panes(i) match {
      case union: Summary => stored.copy(union)
      case _ => stored.element(i)
    }

    def copy(joint: Summary): Summary = stored.copy(joint)
    def merge(older: Summary, newer: Summary): Summary = {
      SparkPrivates.endIfKilled(task)
      stored.merge(older, newer)
    }
  }
}
