package chronosketch.spark.sliding.structures

import scala.reflect.ClassTag

import chronosketch.spark.sliding.frames.KeptBytes

/** What a function asks of the elements of each row's frame. It is answered by one word of 64 bits, or by a sketch. */
abstract class FrameStatistic extends Serializable {

  /** The structure that answers it. */
  def kind: StructureKind[_ <: FrameStatistic]
}

/** One of the structures that slide, by what it answers.
  *
  * @param text         its name in EXPLAIN
  * @param words        how many words a statistic takes while it slides; 0: it answers by sketches, a row at a time
  * @param answersEmpty whether it has an answer for a frame without elements
  * @param hasOutcomes  whether it may have none for a frame with elements
  */
abstract class StructureKind[S <: FrameStatistic](
    val text: String,
    val words: Int = 1,
    val answersEmpty: Boolean = false,
    val hasOutcomes: Boolean = false
)(implicit statistic: ClassTag[S]) extends Serializable {

  /** The structure itself, for one task. */
  final def slider(structure: Structure, bytes: KeptBytes): Slider = {
    val asked = structure.statistics.map(s => statistic.runtimeClass.cast(s).asInstanceOf[S]).toArray
    slider(asked, structure, bytes)
  }

  protected def slider(asked: Array[S], structure: Structure, bytes: KeptBytes): Slider
}

/** A structure over the frames of a window: statistics of one kind, of the same elements and frames, share it.
  *
  * @param elements   which values of a row it takes: the first is the element, NULL where there is none; the second goes with it
  * @param frame      which of the window's frames
  * @param beyond     how frames too large to be kept are answered; none where all are answered exactly
  */
final case class Structure(
    kind: StructureKind[_ <: FrameStatistic],
    elements: Seq[Int],
    frame: Int,
    beyond: Option[BeyondExact],
    statistics: Seq[FrameStatistic]
)
