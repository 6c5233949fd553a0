package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.order.DistinctCount
import chronosketch.spark.sliding.frames.KeptBytes

/** How many distinct keys there are. */
case object DistinctKeyCount extends FrameStatistic {
  def kind: DistinctStructure.type = DistinctStructure
}

case object DistinctStructure
    extends StructureKind[DistinctKeyCount.type]("distinct counts", answersEmpty = true) {
  protected def slider(
      asked: Array[DistinctKeyCount.type],
      structure: Structure,
      bytes: KeptBytes
  ): Slider = new DistinctSlider(asked.length)
}

private final class DistinctSlider(asked: Int) extends Slider(asked) {
  private val distinct = new DistinctCount

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val answers = answersOf(frames, out)
    distinct.slide(columns(0), frames, answers)
    var a = 0
    while (a < asked) { scatter(answers, frames, a, out); a += 1 }
  }
}
