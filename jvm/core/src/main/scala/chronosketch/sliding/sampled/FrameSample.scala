package chronosketch.sliding.sampled

import chronosketch.rank.Phi
import chronosketch.sliding.RetainedElements

/** A random sample of a frame's elements, from which ranks in the frame are estimated. A sample guarantees nothing for certain,
  * so it is not a [[chronosketch.sliding.certified.FrameSummary]].
  *
  * Guarantee  the same seed and the same calls give the same answers
  */
trait FrameSample extends RetainedElements {

  /** Adds the next element. */
  def append(key: Long): Unit

  /** Number of elements in the sample. */
  def size: Int

  /** The φ-quantile of the sample. The sample must not be empty. */
  def quantile(phi: Phi): Long
}

/** A sample in which all sets of elements of the same size are equally likely. */
trait UniformSample extends FrameSample {

  /** Bound on the rank errors of all quantiles, as a share of the frame's elements, with probability ≥ 1 − δ. See
    * [[FrameSampleSize]].
    */
  def band(delta: Double): Double = FrameSampleSize.band(size.toLong, count, delta)
}

/** A factory for one kind of sample. */
abstract class SampleStructure[+S <: FrameSample](val name: String, val text: String) extends Serializable {

  /** An empty sample for frames of at most `capacity` elements, with the size that [[FrameSampleSize]] gives for ε and δ. The
    * seed must be independent of the elements: if the same generator produced the elements, sampling would depend on their
    * values.
    */
  def of(capacity: Long, epsilon: Double, delta: Double, seed: Long): S

  override def toString: String = name
}
