package chronosketch.spark.hopping.panes

import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.families.Families
import chronosketch.sliding.Frames
import chronosketch.sliding.fold.{Fold, Folds, SketchFold}
import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.summary.Summary

/** The unions of a column of stored sketches over frames of panes. NULL is skipped, and so are the empty bytes that a task writes for it;
  * the union of no sketch is null.
  *
  * Cost  sketches of one pane, which several tasks have made, are united once and not for every frame that has the pane
  */
private[spark] final class PaneUnions(sketch: Expression) {
  import PaneUnions._

  private val context =
    Map("function" -> SketchMergeAggregate.Name, "sketch" -> Arguments.written("sketch", sketch))
  private val folds = new Folds[Summary]

  /** Rows come in the order of the numbers of their panes: row i is of pane number(i). */
  def begin(rows: ArrayBuffer[InternalRow], number: Int => Long, frames: NumberedFrames): Unit = {
    val panes = new ArrayBuffer[AnyRef]
    // how many panes with a sketch come before each row, which is the first of its pane
    val before = new Array[Int](rows.length + 1)
    var i = 0
    while (i < rows.length) {
      val pane = number(i)
      var end = i + 1
      while (end < rows.length && number(end) == pane) end += 1
      val made = Conditions.answering(context)(united(rows, i, end))
      if (made != null) panes += made
      Arrays.fill(before, i + 1, end + 1, panes.length)
      i = end
    }
    def counted(at: Array[Int]): Array[Int] = Array.tabulate(frames.size)(i => before(at(i)))
    folds.begin(
      new Frames(counted(frames.begins), counted(frames.ends), frames.size),
      new PaneFold(panes)
    )
  }

  /** The bytes of the only sketch of some rows, or the union of several. */
  private def united(rows: ArrayBuffer[InternalRow], from: Int, until: Int): AnyRef = {
    var first: Array[Byte] = null
    var union: Summary = null
    var i = from
    while (i < until) {
      val bytes = sketch.eval(rows(i)).asInstanceOf[Array[Byte]]
      if (bytes != null && bytes.length > 0) {
        if (first == null) first = bytes
        else {
          if (union == null) union = Families.open(first)
          union.merge(Families.open(bytes))
        }
      }
      i += 1
    }
    if (union == null) first else union
  }

  /** The union of the next frame: to be read before the next call, and not to be changed. */
  def next(): Summary = Conditions.answering(context)(folds.next())
}

private object PaneUnions {

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
