package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.histogram.{Bounds, FrameNumber, FrameNumbers, NumberStructure}
import chronosketch.sliding.moments.Statistic
import chronosketch.spark.sliding.frames.KeptBytes

/** A count, sum, mean or variance of the numbers in a frame, answered by the structure that a setting names.
  *
  * @param named   the structure
  * @param epsilon the relative error allowed, if the structure has an error
  * @param exact   the exact statistic, which answers the frames that the structure refuses
  */
final case class FrameNumberStatistic(named: NumberStructure, epsilon: Double, exact: FrameStatistic)
    extends FrameStatistic {
  def structure: NamedStructure = NamedStructure(named, epsilon)

  /** The number that the structure computes. */
  def number: FrameNumber = FrameNumberStatistic.of(exact).get

  /** Whether the answer is within the error allowed. A count is rounded to a whole number first. */
  def fits(bounds: Bounds): Boolean = named.isExact || {
    if (number == FrameNumber.Count) {
      val value = math.rint(bounds.value)
      value - bounds.low <= epsilon * bounds.low && bounds.high - value <= epsilon * bounds.high
    } else bounds.error <= epsilon * FrameNumberStatistic.Rounding
  }

  /** The word of the answer, computed from the structure's value. */
  def word(bounds: Bounds, n: Long): Long = {
    val answer = bounds.value
    val value = exact match {
      case FrameMoment(Statistic.VarianceSamp, _, _) => sampleVariance(answer, n)
      case FrameMoment(Statistic.StddevSamp, _, _) => math.sqrt(sampleVariance(answer, n))
      case FrameMoment(Statistic.StddevPop, _, _) => math.sqrt(answer)
      case _ => answer
    }
    if (number == FrameNumber.Count) math.rint(value).toLong else java.lang.Double.doubleToRawLongBits(value)
  }

  private def sampleVariance(variance: Double, n: Long): Double = variance / (n - 1) * n
}

object FrameNumberStatistic {

  /** Allows for rounding errors in the bounds. */
  private val Rounding = 1 + 1e-9

  /** The number that answers a statistic. None if the structures can't answer it. */
  def of(statistic: FrameStatistic): Option[FrameNumber] = statistic match {
    case FrameCount => Some(FrameNumber.Count)
    case DoubleSum => Some(FrameNumber.Sum)
    case DoubleMean => Some(FrameNumber.Mean)
    case FrameMoment(
          Statistic.VariancePop | Statistic.VarianceSamp | Statistic.StddevPop | Statistic.StddevSamp,
          _,
          _
        ) => Some(FrameNumber.Variance)
    case _ => None
  }
}

/** A structure that is named in a setting. */
final case class NamedStructure(named: NumberStructure, epsilon: Double)
    extends Structure[FrameNumberStatistic](
      if (named.isExact) named.text else s"${named.text} within $epsilon",
      answersEmpty = true,
      hasOutcomes = true
    ) {
  protected def slider(stats: Array[FrameNumberStatistic], spec: SliderSpec, bytes: KeptBytes): Slider =
    new NumberSlider(
      stats,
      stats.map { s =>
        val exact = s.exact.structure
        exact.slider(spec.copy(structure = exact, statistics = Seq(s.exact)), bytes)
      }
    )
}

/** Answers each segment with new [[FrameNumbers]]: a segment is several times as long as its longest frame. Answers exactly if a frame has
  * one element, or values that the structure does not support.
  */
private final class NumberSlider(stats: Array[FrameNumberStatistic], exacts: Array[Slider])
    extends Slider(stats.length) {
  private val bounds = new Bounds

  // the rows that are answered exactly, and their frames
  private var rows, froms, untils = new Array[Int](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val values = doubles(columns(0), frames)
    if (rows.length < frames.rows) {
      val room = frames.rows + frames.rows / 4
      rows = new Array[Int](room)
      froms = new Array[Int](room)
      untils = new Array[Int](room)
    }
    var a = 0
    while (a < stats.length) {
      val refused = answer(values, frames, a, out, outcomes)
      if (refused > 0) answerExactly(columns, refused, a, out, outcomes)
      a += 1
    }
  }

  /** Answers one statistic. Returns how many rows must be answered exactly. */
  private def answer(
      values: Array[Double],
      frames: Frames,
      a: Int,
      out: Array[Long],
      outcomes: Array[Byte]
  ): Int = {
    val statistic = stats(a)
    val number = statistic.number
    val numbers: FrameNumbers = statistic.named.of(number, longest(frames), 1L, statistic.epsilon)
    var refused = 0
    var (first, end) = (frames.from(0), frames.from(0))
    var row = 0
    while (row < frames.rows) {
      val (from, until) = (frames.from(row), frames.until(row))
      while (end < until) { numbers.append(values(end)); end += 1 }
      // an empty frame may begin after the last appended element
      val expired = math.min(from, end)
      if (expired > first) { numbers.expire((expired - first).toLong); first = expired }
      val n = until - from
      if (n > 1) numbers.answer(number, bounds)
      if (n > 1 && bounds.isAnswered && statistic.fits(bounds)) {
        out(row * stats.length + a) = statistic.word(bounds, n.toLong)
        outcomes(row * stats.length + a) = Outcome.Value.toByte
      } else {
        rows(refused) = row
        froms(refused) = from
        untils(refused) = until
        refused += 1
      }
      row += 1
    }
    refused
  }

  private def longest(frames: Frames): Long = {
    var most = 1
    var row = 0
    while (row < frames.rows) { most = math.max(most, frames.until(row) - frames.from(row)); row += 1 }
    most.toLong
  }

  private def answerExactly(
      columns: Array[Array[Long]],
      refused: Int,
      a: Int,
      out: Array[Long],
      outcomes: Array[Byte]
  ): Unit = {
    val exact = stats(a).exact.structure
    val words = new Array[Long](refused * exact.words)
    val found = new Array[Byte](refused * exact.words)
    exacts(a).slide(columns, new Frames(froms, untils, refused), words, found)
    var i = 0
    while (i < refused) {
      val at = rows(i) * stats.length + a
      out(at) = words(i)
      val isEmpty = froms(i) == untils(i)
      outcomes(at) =
        if (exact.hasOutcomes) found(i)
        else if (isEmpty && !exact.answersEmpty) Outcome.Null.toByte
        else Outcome.Value.toByte
      i += 1
    }
  }
}
