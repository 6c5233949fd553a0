package chronosketch.spark.sliding.structures

import chronosketch.rank.Phi
import chronosketch.sliding.certified.{FrameQuantiles, FrameStructure}
import chronosketch.sliding.sampled.{SampleStructure, SampledQuantiles, UniformSample}
import chronosketch.sliding.{Elements, LargeFrames}

/** Answers quantiles of frames that are too large to be kept. */
sealed trait Approximation extends Serializable {

  /** Frames of up to this many rows are answered exactly. */
  def exactRows: Long

  def frames(phis: Array[Phi], elements: Elements): LargeFrames

  /** The predicted cost, for EXPLAIN. */
  def prediction: Option[String]

  protected def name: String

  final def text: String = s"$name beyond $exactRows rows${prediction.fold("")(p => s" [$p]")}"
}

/** Answers from a summary, with a certain error bound.
  *
  * @param epsilon   the rank error allowed
  * @param structure summarises larger frames
  */
final case class Certified(
    epsilon: Double,
    exactRows: Long,
    structure: FrameStructure,
    prediction: Option[String]
) extends Approximation {
  protected def name: String = structure.text
  def frames(phis: Array[Phi], elements: Elements): FrameQuantiles =
    new FrameQuantiles(phis, epsilon, structure, elements)
}

/** Answers from a sample.
  *
  * @param epsilon   the rank error allowed
  * @param delta     the probability that an answer has a larger error
  * @param structure draws samples of larger frames
  */
final case class Sampled(
    epsilon: Double,
    delta: Double,
    seed: Long,
    exactRows: Long,
    structure: SampleStructure[UniformSample],
    prediction: Option[String]
) extends Approximation {
  protected def name: String = structure.text
  def frames(phis: Array[Phi], elements: Elements): SampledQuantiles =
    new SampledQuantiles(phis, epsilon, delta, seed, structure, elements)
}
