package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.histogram.{Bounds, FrameNumber, FrameNumbers, NumberStructure}
import chronosketch.sliding.moments.Statistic
import chronosketch.spark.sliding.frames.KeptBytes

/** A count, sum, mean or spread of the numbers of a frame, by a structure that a setting names.
  *
  * @param epsilon the relative error allowed, where the structure has one
  * @param exact   what is asked: it answers the frames that the structure refuses
  */
final case class FrameNumberStatistic(structure: NumberStructure, epsilon: Double, exact: FrameStatistic)
    extends FrameStatistic {
  def kind: NumberKind = NumberKind(structure, epsilon)

  /** What the structure is asked. */
  def number: FrameNumber = FrameNumberStatistic.of(exact).get

  /** Whether the answer keeps its promise; of a count, as a whole number. */
  def fits(found: Bounds): Boolean = structure.isExact || {
    if (number == FrameNumber.Count) {
      val value = math.rint(found.value)
      value - found.low <= epsilon * found.low && found.high - value <= epsilon * found.high
    } else found.error <= epsilon * FrameNumberStatistic.Rounding
  }

  /** The word of the answer, from that of the structure. */
  def word(found: Bounds, n: Long): Long = {
    val answer = found.value
    val value = exact match {
      case FrameMoment(Statistic.VarianceSamp, _, _) => sampled(answer, n)
      case FrameMoment(Statistic.StddevSamp, _, _) => math.sqrt(sampled(answer, n))
      case FrameMoment(Statistic.StddevPop, _, _) => math.sqrt(answer)
      case _ => answer
    }
    if (number == FrameNumber.Count) math.rint(value).toLong else java.lang.Double.doubleToRawLongBits(value)
  }

  private def sampled(variance: Double, n: Long): Double = variance / (n - 1) * n
}

object FrameNumberStatistic {

  /** Bounds allow for rounding. */
  private val Rounding = 1 + 1e-9

  /** The number of a frame that answers a statistic; none where none does. */
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

/** Each structure is a kind of its own. */
final case class NumberKind(structure: NumberStructure, epsilon: Double)
    extends StructureKind[FrameNumberStatistic](
      if (structure.isExact) structure.text else s"${structure.text} within $epsilon",
      answersEmpty = true,
      hasOutcomes = true
    ) {
  protected def slider(asked: Array[FrameNumberStatistic], of: Structure, bytes: KeptBytes): Slider =
    new NumberSlider(
      asked,
      asked.map(s => s.exact.kind.slider(of.copy(kind = s.exact.kind, statistics = Seq(s.exact)), bytes))
    )
}

/** A segment begins anew: it is several times as long as its longest frame. Frames of one element, and those that the structure refuses
  * as they have values it does not serve, are answered exactly.
  */
private final class NumberSlider(asks: Array[FrameNumberStatistic], exacts: Array[Slider])
    extends Slider(asks.length) {
  private val bounds = new Bounds

  // the rows that are answered exactly
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
    while (a < asks.length) {
      val refused = answer(values, frames, a, out, outcomes)
      if (refused > 0) answerExactly(columns, refused, a, out, outcomes)
      a += 1
    }
  }

  /** How many rows it does not answer. */
  private def answer(
      values: Array[Double],
      frames: Frames,
      a: Int,
      out: Array[Long],
      outcomes: Array[Byte]
  ): Int = {
    val ask = asks(a)
    val number = ask.number
    val seen: FrameNumbers = ask.structure.of(number, longest(frames), 1L, ask.epsilon)
    var refused = 0
    var (first, end) = (frames.from(0), frames.from(0))
    var row = 0
    while (row < frames.rows) {
      val (from, until) = (frames.from(row), frames.until(row))
      while (end < until) { seen.append(values(end)); end += 1 }
      // an empty frame may begin where no element has come yet
      val gone = math.min(from, end)
      if (gone > first) { seen.expire((gone - first).toLong); first = gone }
      val n = until - from
      if (n > 1) seen.answer(number, bounds)
      if (n > 1 && bounds.isAnswered && ask.fits(bounds)) {
        out(row * asks.length + a) = ask.word(bounds, n.toLong)
        outcomes(row * asks.length + a) = Outcome.Value.toByte
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
    val exact = asks(a).exact.kind
    val words = new Array[Long](refused * exact.words)
    val found = new Array[Byte](refused * exact.words)
    exacts(a).slide(columns, new Frames(froms, untils, refused), words, found)
    var i = 0
    while (i < refused) {
      val at = rows(i) * asks.length + a
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
