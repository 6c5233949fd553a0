package chronosketch.sliding.certified

import chronosketch.sliding.RetainedElements

/** Summarises the ranks of the elements in one frame that is too large to be stored and whose two ends only move forward. */
trait FrameSummary extends RetainedElements {

  /** Largest number of elements that the frame may have. */
  def capacity: Long

  /** Adds the next element. */
  def append(key: Long): Unit

  /** Adds the certain rank bounds to `ranks`, as bags that together contain all elements. */
  def describe(ranks: FrameRanks): Unit
}

/** A factory for one kind of frame summary. */
abstract class FrameStructure(val name: String, val text: String) extends Serializable {

  /** An empty summary whose answers are wrong by at most `epsilon`·capacity ranks. */
  def of(capacity: Long, epsilon: Double): FrameSummary

  override def toString: String = name
}
