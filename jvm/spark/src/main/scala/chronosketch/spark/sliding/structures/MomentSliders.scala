package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.moments.{Answers, CrossMoments, CrossStatistic, FrameMoments, Statistic}
import chronosketch.spark.sliding.frames.KeptBytes

/** A statistic of numbers.
  *
  * @param undefined the outcome if the statistic is undefined. If this outcome is a value, the answer is NaN
  * @param divided   the outcome of a division by zero
  */
final case class FrameMoment(statistic: Statistic, undefined: Int, divided: Int) extends FrameStatistic {
  def structure: MomentStructure.type = MomentStructure
}

case object MomentStructure extends Structure[FrameMoment]("moments", hasOutcomes = true) {
  protected def slider(stats: Array[FrameMoment], spec: SliderSpec, bytes: KeptBytes): Slider =
    new MomentSlider(stats)
}

private final class MomentSlider(stats: Array[FrameMoment]) extends Slider(stats.length) {
  private val moments = new FrameMoments
  private val statistics = stats.map(_.statistic)
  private val answers = stats.map(_ => new Answers)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    moments.slide(doubles(columns(0), frames), frames, statistics, answers)
    var a = 0
    while (a < stats.length) {
      setAnswers(answers(a), frames.rows, a, stats(a).undefined, stats(a).divided, out, outcomes)
      a += 1
    }
  }
}

/** A statistic of pairs of numbers, with the same outcomes as [[FrameMoment]]. */
final case class FrameCrossMoment(statistic: CrossStatistic, undefined: Int, divided: Int)
    extends FrameStatistic {
  def structure: CrossMomentStructure.type = CrossMomentStructure
}

case object CrossMomentStructure
    extends Structure[FrameCrossMoment]("cross moments", hasOutcomes = true) {
  protected def slider(stats: Array[FrameCrossMoment], spec: SliderSpec, bytes: KeptBytes): Slider =
    new CrossMomentSlider(stats)
}

private final class CrossMomentSlider(stats: Array[FrameCrossMoment]) extends Slider(stats.length) {
  private val moments = new CrossMoments
  private val statistics = stats.map(_.statistic)
  private val answers = stats.map(_ => new Answers)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    moments.slide(doubles(columns(0), frames), secondDoubles(columns(1), frames), frames, statistics, answers)
    var a = 0
    while (a < stats.length) {
      setAnswers(answers(a), frames.rows, a, stats(a).undefined, stats(a).divided, out, outcomes)
      a += 1
    }
  }
}
