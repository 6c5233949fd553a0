package chronosketch.sliding.fold

import chronosketch.sliding.Frames

/** What the rows see of elements that can only be joined, one row after another. */
trait Folding[A <: AnyRef] {

  /** Before the first row. */
  def begin(frames: Frames, fold: Fold[A]): Unit

  /** What the next row sees, null where that is nothing: to be looked at before the next call, and not changed. */
  def next(): A

  /** The row whose turn it is. */
  def at: Int

  /** Nothing is kept of the rows so far. */
  def end(): Unit
}
