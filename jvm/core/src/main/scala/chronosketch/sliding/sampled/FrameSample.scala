package chronosketch.sliding.sampled

import chronosketch.rank.Phi
import chronosketch.sliding.Kept

/** What do some elements of a frame, drawn at random, say about the ranks of all? Nothing for certain: a sample is no
  * [[chronosketch.sliding.certified.FrameSummary]].
  *
  * Guarantee  the same seed and the same calls give the same answers
  */
trait FrameSample extends Kept {

  /** One more comes. */
  def append(key: Long): Unit

  /** How many elements the sample has. */
  def size: Int

  /** The φ-quantile of the sample, which must not be empty. */
  def quantile(phi: Phi): Long
}

/** A sample in which every set of elements of the frame is as likely as any other of the same size. */
trait UniformSample extends FrameSample {

  /** By what share of the frame's elements the ranks of all quantiles may be wrong, with probability ≥ 1 − δ: see [[FrameSampleSize]]. */
  def band(delta: Double): Double = FrameSampleSize.band(size.toLong, count, delta)
}

/** A way to draw samples of frames. */
abstract class SampleStructure[+S <: FrameSample](val name: String, val text: String) extends Serializable {

  /** A sample of nothing yet, for frames of at most `capacity` elements, of the size that [[FrameSampleSize]] has for ε and δ. The seed must
    * have nothing to do with the elements: from the generator that they came from, it would draw them by their values.
    */
  def of(capacity: Long, epsilon: Double, delta: Double, seed: Long): S

  override def toString: String = name
}
