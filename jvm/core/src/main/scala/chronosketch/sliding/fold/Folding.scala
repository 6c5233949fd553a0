package chronosketch.sliding.fold

import chronosketch.sliding.Frames

/** Aggregates the frames of consecutive rows, for elements that can be merged but not removed from an aggregate. */
trait Folding[A <: AnyRef] {

  /** Starts a run of rows. */
  def begin(frames: Frames, fold: Fold[A]): Unit

  /** The aggregate of the next row's frame, null if that is empty. It is valid until the next call and must not be changed. */
  def next(): A

  /** The row that [[next]] will return. */
  def at: Int

  /** Releases everything that belongs to the run. */
  def end(): Unit
}
