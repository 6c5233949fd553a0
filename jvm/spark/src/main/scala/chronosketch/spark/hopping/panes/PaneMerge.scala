package chronosketch.spark.hopping.panes

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import chronosketch.sliding.fold.Folds

/** What do the panes of each frame make together? Tables and streams merge panes to windows with it, and streams the rows of a pane to
  * one.
  *
  * Cost  a few merges a frame, however many panes it has; a summary becomes bytes only where it is an answer itself
  */
private[spark] final class PaneMerge(spec: MergeSpec) {
  private val unions = spec.sketches.map(new PaneUnions(_)).toArray
  private var rows: ArrayBuffer[InternalRow] = _
  private val fold = new BufferFold(spec.declared, spec.input, rows(_))
  private val buffers = new Folds[InternalRow]

  // one row of all columns: rows that are joined cost more to read than the answers take to make
  private val columns = new Array[Any](spec.resultInput.length)
  private val row = new GenericInternalRow(columns)
  private val areAsked = spec.areAsked.toArray
  private val firstUnion = spec.supplied.length
  private val firstBuffer = firstUnion + unions.length
  private val result = UnsafeProjection.create(spec.results, spec.resultInput)

  /** Starts with other frames.
    *
    * @param panes  rows, in the order of the numbers of their panes
    * @param number of the pane that row i belongs to: sketches of one pane are united once, for all frames
    */
  def begin(panes: ArrayBuffer[InternalRow], number: Int => Long, frames: NumberedFrames): Unit = {
    rows = panes
    if (spec.declared.nonEmpty) buffers.begin(frames.frames, fold)
    unions.foreach(_.begin(panes, number, frames))
  }

  /** Supplies a column of the frames to come, until it is supplied again. */
  def supply(column: Int, value: Any): Unit = columns(column) = value

  /** Supplies the first columns. The row must not change while they serve. */
  def supply(first: InternalRow): Unit = {
    var i = 0
    while (i < first.numFields) {
      columns(i) = first.get(i, spec.supplied(i).dataType)
      i += 1
    }
  }

  /** The row of the next frame; it is valid until the next call. */
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
