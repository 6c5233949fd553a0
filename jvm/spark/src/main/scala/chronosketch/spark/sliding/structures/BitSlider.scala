package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.fold.Bits
import chronosketch.spark.sliding.frames.KeptBytes

/** The bitwise AND, OR or XOR of the elements. */
sealed abstract class BitStatistic extends FrameStatistic {
  def kind: BitStructure.type = BitStructure
}
case object BitsAnd extends BitStatistic
case object BitsOr extends BitStatistic
case object BitsXor extends BitStatistic

case object BitStructure extends StructureKind[BitStatistic]("bits") {
  protected def slider(stats: Array[BitStatistic], structure: Structure, bytes: KeptBytes): Slider =
    new BitSlider(stats)
}

private final class BitSlider(stats: Array[BitStatistic]) extends Slider(stats.length) {
  private val bits = new Bits

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val answers = answersOf(frames, out)
    var a = 0
    while (a < stats.length) {
      stats(a) match {
        case BitsAnd => bits.and(columns(0), frames, answers)
        case BitsOr => bits.or(columns(0), frames, answers)
        case _ => bits.xor(columns(0), frames, answers)
      }
      scatter(answers, frames, a, out)
      a += 1
    }
  }
}
