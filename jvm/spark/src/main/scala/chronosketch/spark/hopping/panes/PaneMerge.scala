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

  private val summaries = new GenericInternalRow(unions.length)
  private val rowAndSummaries, all = new JoinedRow
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

  /** The row of the next frame; it is valid until the next call. */
  def next(supplied: InternalRow): UnsafeRow = {
    var s = 0
    while (s < unions.length) {
      summaries.update(s, unions(s).next())
      s += 1
    }
    val buffer = if (spec.declared.isEmpty) InternalRow.empty else buffers.next()
    result(all(rowAndSummaries(supplied, summaries), buffer))
  }
}
