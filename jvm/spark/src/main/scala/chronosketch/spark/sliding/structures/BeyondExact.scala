package chronosketch.spark.sliding.structures

import chronosketch.rank.Phi
import chronosketch.sliding.certified.{FrameQuantiles, FrameStructure}
import chronosketch.sliding.sampled.{SampleStructure, SampledQuantiles, UniformSample}
import chronosketch.sliding.{Elements, LargeFrames}

/** How quantiles are answered of frames that are too large to be kept. */
sealed trait BeyondExact extends Serializable {

  /** Frames of so many rows are answered exactly. */
  def exactRows: Long

  def frames(phis: Array[Phi], elements: Elements): LargeFrames

  /** What it is predicted to cost, for EXPLAIN. */
  def prediction: Option[String]

  protected def name: String

  final def text: String = s"$name beyond $exactRows rows${prediction.fold("")(p => s" [$p]")}"
}

/** By a summary, for certain.
  *
  * @param epsilon   the rank error allowed
  * @param structure what summarises larger frames
  */
final case class Certified(
    epsilon: Double,
    exactRows: Long,
    structure: FrameStructure,
    prediction: Option[String]
) extends BeyondExact {
  protected def name: String = structure.text
  def frames(phis: Array[Phi], elements: Elements): FrameQuantiles =
    new FrameQuantiles(phis, epsilon, structure, elements)
}

/** By a sample.
  *
  * @param epsilon   the rank error allowed
  * @param delta     the probability that an answer is wrong by more
  * @param structure what draws samples of larger frames
  */
final case class Sampled(
    epsilon: Double,
    delta: Double,
    seed: Long,
    exactRows: Long,
    structure: SampleStructure[UniformSample],
    prediction: Option[String]
) extends BeyondExact {
  protected def name: String = structure.text
  def frames(phis: Array[Phi], elements: Elements): SampledQuantiles =
    new SampledQuantiles(phis, epsilon, delta, seed, structure, elements)
}
