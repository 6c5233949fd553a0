package chronosketch.spark.sliding.structures

import scala.reflect.ClassTag

import chronosketch.spark.sliding.frames.KeptBytes

/** A statistic of the elements in each row's frame. The answer is one 64-bit word, or a sketch. */
abstract class FrameStatistic extends Serializable {

  /** The structure that answers it. */
  def kind: StructureKind[_ <: FrameStatistic]
}

/** A kind of sliding structure, and which statistics it answers.
  *
  * @param text         its name in EXPLAIN
  * @param words        the words of memory for each statistic and row; 0 if the answers are sketches, which are built a row at a time
  * @param answersEmpty whether a frame without elements has an answer
  * @param hasOutcomes  whether a frame with elements may have no answer
  */
abstract class StructureKind[S <: FrameStatistic](
    val text: String,
    val words: Int = 1,
    val answersEmpty: Boolean = false,
    val hasOutcomes: Boolean = false
)(implicit statistic: ClassTag[S]) extends Serializable {

  /** Creates the structure for one task. */
  final def slider(structure: Structure, bytes: KeptBytes): Slider = {
    val stats = structure.statistics.map(s => statistic.runtimeClass.cast(s).asInstanceOf[S]).toArray
    slider(stats, structure, bytes)
  }

  protected def slider(stats: Array[S], structure: Structure, bytes: KeptBytes): Slider
}

/** A structure over frames of a window. Statistics of the same kind, elements and frame share it.
  *
  * @param elements   the indexes of the row's values that it reads: the element, NULL if the row has none, and a second one for some kinds
  * @param frame      the index among the window's frames
  * @param beyond     how frames that are too large to be kept are answered; None if all frames are answered exactly
  */
final case class Structure(
    kind: StructureKind[_ <: FrameStatistic],
    elements: Seq[Int],
    frame: Int,
    beyond: Option[BeyondExact],
    statistics: Seq[FrameStatistic]
)
