package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.moments.{Answers, CrossMoments, CrossStatistic, FrameMoments, Statistic}
import chronosketch.spark.sliding.frames.KeptBytes

/** A statistic of numbers.
  *
  * @param undefined the outcome where it is undefined; where that is a value, the answer is NaN
  * @param divided   the outcome of a division by zero
  */
final case class FrameMoment(statistic: Statistic, undefined: Int, divided: Int) extends FrameStatistic {
  def kind: MomentStructure.type = MomentStructure
}

case object MomentStructure extends StructureKind[FrameMoment]("moments", hasOutcomes = true) {
  protected def slider(asked: Array[FrameMoment], structure: Structure, bytes: KeptBytes): Slider =
    new MomentSlider(asked)
}

private final class MomentSlider(asks: Array[FrameMoment]) extends Slider(asks.length) {
  private val moments = new FrameMoments
  private val asked = asks.map(_.statistic)
  private val answers = asks.map(_ => new Answers)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    moments.slide(doubles(columns(0), frames), frames, asked, answers)
    var a = 0
    while (a < asks.length) {
      setAnswers(answers(a), frames.rows, a, asks(a).undefined, asks(a).divided, out, outcomes)
      a += 1
    }
  }
}

/** A statistic of pairs of numbers; as [[FrameMoment]]. */
final case class FrameCrossMoment(statistic: CrossStatistic, undefined: Int, divided: Int)
    extends FrameStatistic {
  def kind: CrossMomentStructure.type = CrossMomentStructure
}

case object CrossMomentStructure
    extends StructureKind[FrameCrossMoment]("cross moments", hasOutcomes = true) {
  protected def slider(asked: Array[FrameCrossMoment], structure: Structure, bytes: KeptBytes): Slider =
    new CrossMomentSlider(asked)
}

private final class CrossMomentSlider(asks: Array[FrameCrossMoment]) extends Slider(asks.length) {
  private val moments = new CrossMoments
  private val asked = asks.map(_.statistic)
  private val answers = asks.map(_ => new Answers)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    moments.slide(doubles(columns(0), frames), otherDoubles(columns(1), frames), frames, asked, answers)
    var a = 0
    while (a < asks.length) {
      setAnswers(answers(a), frames.rows, a, asks(a).undefined, asks(a).divided, out, outcomes)
      a += 1
    }
  }
}
