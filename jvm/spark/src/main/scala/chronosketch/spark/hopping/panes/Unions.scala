package chronosketch.spark.hopping.panes

import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.sliding.Frames
import chronosketch.sliding.fold.{Folds, SketchFold}
import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.summary.{Envelope, Summary}

/** The unions of a column of stored sketches over frames of whole panes; NULL, and the empty bytes that a task has for it, are skipped, of
  * none the union is null.
  *
  * Cost  what several tasks have of one pane is united once, not for every joint that it is a part of
  */
private[spark] final class Unions(sketch: Expression) {
  private val context =
    Map("function" -> SketchMergeAggregate.Name, "sketch" -> Arguments.written("sketch", sketch))
  private val folds = new Folds[Summary]

  /** Rows in the order of the numbers of their panes: row i is of pane number(i). */
  def begin(
      rows: ArrayBuffer[InternalRow],
      number: Int => Long,
      windows: NumberedFrames
  ): Unit = {
    val stored = new ArrayBuffer[Array[Byte]]
    // how many sketches come before the pane that begins with a row
    val before = new Array[Int](rows.length + 1)
    var i = 0
    while (i < rows.length) {
      val pane = number(i)
      var end = i + 1
      while (end < rows.length && number(end) == pane) end += 1
      val bytes = Conditions.answering(context)(ofPane(rows, i, end))
      if (bytes != null) stored += bytes
      Arrays.fill(before, i + 1, end + 1, stored.length)
      i = end
    }
    def counted(at: Array[Int]): Array[Int] = Array.tabulate(windows.size)(i => before(at(i)))
    folds.begin(
      new Frames(counted(windows.begins), counted(windows.ends), windows.size),
      new SketchFold(stored(_))
    )
  }

  private def ofPane(rows: ArrayBuffer[InternalRow], from: Int, until: Int): Array[Byte] = {
    var first: Array[Byte] = null
    var union: Summary = null
    var i = from
    while (i < until) {
      val bytes = sketch.eval(rows(i)).asInstanceOf[Array[Byte]]
      if (bytes != null && bytes.length > 0) {
        if (first == null) first = bytes
        else {
          if (union == null) union = Envelope.open(first)
          union.merge(Envelope.open(bytes))
        }
      }
      i += 1
    }
    if (union == null) first else Envelope.seal(union)
  }

  /** Of the next frame: to be looked at before the next call, and not changed. */
  def next(): Summary = Conditions.answering(context)(folds.next())
}
