package chronosketch.sliding.histogram

import chronosketch.sliding.Kept

/** What can be told about count, sum, mean and variance of the numbers of one frame, whose ends both move forward? */
trait FrameNumbers extends Kept {

  /** One more comes. */
  def append(value: Double): Unit

  /** The answer, or why there is none. */
  def answer(asked: FrameNumber, into: Bounds): Unit
}

/** A way to keep numbers of frames. */
abstract class NumberStructure(val name: String, val text: String) extends Serializable {

  /** What it answers of finite numbers; sums and means by [[ExponentialHistogram]] only where none is negative. */
  def answers: Set[FrameNumber]

  /** Whether it takes no ε: every answer is exact, but for rounding. */
  def isExact: Boolean

  /** Of nothing yet, for frames of at most `capacity` elements that move on by `slide` elements: one of [[answers]] is asked, and may
    * be wrong by a share of `epsilon` where the structure has an ε.
    */
  def of(asked: FrameNumber, capacity: Long, slide: Long, epsilon: Double): FrameNumbers

  override def toString: String = name
}
