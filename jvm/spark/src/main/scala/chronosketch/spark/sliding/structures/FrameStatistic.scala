package chronosketch.spark.sliding.structures

import scala.reflect.ClassTag

import chronosketch.rank.Phi
import chronosketch.sliding.certified.{FrameQuantiles, FrameStructure}
import chronosketch.sliding.sampled.{SampledQuantiles, SampleStructure, UniformSample}
import chronosketch.sliding.{Elements, LargeFrames}
import chronosketch.spark.sliding.frames.KeptBytes

/** A statistic of the elements in each row's frame. The answer is one 64-bit word, or a sketch. */
abstract class FrameStatistic extends Serializable {

  /** The structure that answers it. */
  def structure: Structure[_ <: FrameStatistic]
}

/** A structure that answers statistics of frames as they slide. In a task it is a [[Slider]].
  *
  * @param text         its name in EXPLAIN
  * @param words        the words of memory for each statistic and row; 0 if the answers are sketches, which are built a row at a time
  * @param answersEmpty whether a frame without elements has an answer
  * @param hasOutcomes  whether a frame with elements may have no answer
  */
abstract class Structure[S <: FrameStatistic](
    val text: String,
    val words: Int = 1,
    val answersEmpty: Boolean = false,
    val hasOutcomes: Boolean = false
)(implicit statistic: ClassTag[S]) extends Serializable {

  /** Creates the slider for one task. */
  final def slider(spec: SliderSpec, bytes: KeptBytes): Slider = {
    val stats = spec.statistics.map(s => statistic.runtimeClass.cast(s).asInstanceOf[S]).toArray
    slider(stats, spec, bytes)
  }

  protected def slider(stats: Array[S], spec: SliderSpec, bytes: KeptBytes): Slider
}

/** The part of the plan that a task needs for one slider: the statistics of the same elements and frame that one structure answers.
  *
  * @param elements      the indexes of the row's values that it reads: the element, NULL if the row has none, and a second one for some
  *                      structures
  * @param frame         the index among the window's frames
  * @param approximation answers frames that are too large to be kept; None if all frames are answered exactly
  */
final case class SliderSpec(
    structure: Structure[_ <: FrameStatistic],
    elements: Seq[Int],
    frame: Int,
    approximation: Option[Approximation],
    statistics: Seq[FrameStatistic]
)

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
