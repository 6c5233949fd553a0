package chronosketch.spark.hopping.panes

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import chronosketch.sliding.fold.TwoStacks

/** Merges the panes of each frame. Tables and streams use it to merge panes into windows, and streams also to merge the rows of a pane
  * into one.
  *
  * Cost  a few merges a frame, however many panes it has; a summary is only encoded if it is an answer itself
  */
private[spark] final class PaneMerge(spec: MergeSpec) {
  private val unions = spec.sketches.map(new PaneUnions(_)).toArray
  private var rows: ArrayBuffer[InternalRow] = _
  private val fold = new BufferFold(spec.declared, spec.input, rows(_))
  private val buffers = new TwoStacks[InternalRow]

  // one row for all columns, because reading a joined row costs more than computing the answers
  private val columns = new Array[Any](spec.resultInput.length)
  private val row = new GenericInternalRow(columns)
  private val areAsked = spec.areAsked.toArray
  private val firstUnion = spec.supplied.length
  private val firstBuffer = firstUnion + unions.length
  private val result = UnsafeProjection.create(spec.results, spec.resultInput)

  /** Starts a list of frames.
    *
    * @param panes  the rows, in the order of their panes
    * @param number returns the number of row i's pane; sketches of one pane are merged once for all frames
    */
  def begin(panes: ArrayBuffer[InternalRow], number: Int => Long, frames: NumberedFrames): Unit = {
    rows = panes
    if (spec.declared.nonEmpty) buffers.begin(frames.frames, fold)
    unions.foreach(_.begin(panes, number, frames))
  }

  /** Sets a supplied column of the following frames, until it is set again. */
  def supply(column: Int, value: Any): Unit = columns(column) = value

  /** Sets the first supplied columns. The row must not change while they are used. */
  def supply(first: InternalRow): Unit = {
    var i = 0
    while (i < first.numFields) {
      columns(i) = first.get(i, spec.supplied(i).dataType)
      i += 1
    }
  }

  /** Returns the row of the next frame. It is valid until the next call. */
  def next(): UnsafeRow = {
    var s = 0
    while (s < unions.length) {
      columns(firstUnion + s) = if (areAsked(s)) unions(s).next() else unions(s).nextSealed()
      s += 1
    }
    if (spec.declared.nonEmpty) {
      val buffer = buffers.next().asInstanceOf[GenericInternalRow].values
      System.arraycopy(buffer, 0, columns, firstBuffer, buffer.length)
    }
    result(row)
  }
}
