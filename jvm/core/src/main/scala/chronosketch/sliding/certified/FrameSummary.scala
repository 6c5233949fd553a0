package chronosketch.sliding.certified

import chronosketch.sliding.Kept

/** What can be told about the ranks of the elements of one frame, whose ends both move forward, when it is too large to be kept? */
trait FrameSummary extends Kept {

  /** How many elements the frame may have. */
  def capacity: Long

  /** One more comes. */
  def append(key: Long): Unit

  /** Adds what is certain about them, as bags that together hold them all. */
  def describe(ranks: FrameRanks): Unit
}

/** A way to summarise a frame. */
abstract class FrameStructure(val name: String, val text: String) extends Serializable {

  /** A summary of nothing yet, whose answers are wrong by at most `epsilon`·capacity ranks. */
  def of(capacity: Long, epsilon: Double): FrameSummary

  override def toString: String = name
}
