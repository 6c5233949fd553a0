package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.order.DistinctCount
import chronosketch.spark.sliding.frames.KeptBytes

/** The number of distinct keys. */
case object DistinctKeyCount extends FrameStatistic {
  def kind: DistinctStructure.type = DistinctStructure
}

case object DistinctStructure
    extends StructureKind[DistinctKeyCount.type]("distinct counts", answersEmpty = true) {
  protected def slider(
      stats: Array[DistinctKeyCount.type],
      structure: Structure,
      bytes: KeptBytes
  ): Slider = new DistinctSlider(stats.length)
}

private final class DistinctSlider(count: Int) extends Slider(count) {
  private val distinct = new DistinctCount

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val answers = answersOf(frames, out)
    distinct.slide(columns(0), frames, answers)
    var a = 0
    while (a < count) { scatter(answers, frames, a, out); a += 1 }
  }
}
