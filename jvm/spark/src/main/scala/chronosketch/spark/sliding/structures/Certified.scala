package chronosketch.spark.sliding.structures

import chronosketch.sliding.certified.FrameStructure

/** How quantiles are answered of frames that are too large to be kept.
  *
  * @param epsilon   the rank error allowed
  * @param exactRows frames of so many rows are answered exactly
  * @param structure what summarises larger frames
  */
final case class Certified(epsilon: Double, exactRows: Long, structure: FrameStructure) {
  def text: String = s"${structure.text} beyond $exactRows rows"
}
