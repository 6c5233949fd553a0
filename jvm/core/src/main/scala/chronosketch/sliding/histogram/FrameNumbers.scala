package chronosketch.sliding.histogram

import chronosketch.sliding.RetainedElements

/** Estimates count, sum, mean and variance of the numbers in one frame whose two ends only move forward. */
trait FrameNumbers extends RetainedElements {

  /** Adds the next number. */
  def append(value: Double): Unit

  /** Writes the answer, or the reason why there is none. */
  def answer(question: FrameNumber, into: Bounds): Unit
}

/** A factory for one kind of [[FrameNumbers]]. */
abstract class NumberStructure(val name: String, val text: String) extends Serializable {

  /** The statistics that it supports for finite numbers. [[ExponentialHistogram]] supports sums and means only if no number is
    * negative.
    */
  def answers: Set[FrameNumber]

  /** Whether it has no ε, because every answer is exact up to rounding. */
  def isExact: Boolean

  /** A new structure for frames of at most `capacity` elements that move on by `slide` elements. It will be asked for one of
    * [[answers]], with a relative error of at most `epsilon` if the structure has an ε.
    */
  def of(question: FrameNumber, capacity: Long, slide: Long, epsilon: Double): FrameNumbers

  override def toString: String = name
}
