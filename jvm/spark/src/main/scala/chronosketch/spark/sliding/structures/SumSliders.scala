package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.fold.Bits
import chronosketch.sliding.moments.{DoubleSums, LongSums}
import chronosketch.sliding.order.DistinctCount
import chronosketch.spark.sliding.frames.KeptBytes

/** The number of elements. */
case object FrameCount extends FrameStatistic {
  def structure: CountStructure.type = CountStructure
}

case object CountStructure extends Structure[FrameCount.type]("counts", answersEmpty = true) {
  protected def slider(stats: Array[FrameCount.type], spec: SliderSpec, bytes: KeptBytes): Slider =
    new CountSlider(stats.length)
}

private final class CountSlider(count: Int) extends Slider(count) {
  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    var at = 0
    while (at < count * frames.rows) {
      out(at) = (frames.until(at / count) - frames.from(at / count)).toLong
      at += 1
    }
  }
}

/** A statistic computed from a sum of whole numbers. */
sealed abstract class LongStatistic extends FrameStatistic {
  def structure: LongSumStructure.type = LongSumStructure
}

/** The low word of the sum. `onOverflow` is the outcome if the sum exceeds 64 bits. If this outcome is a value, the sum wraps around. */
final case class LongSum(onOverflow: Int) extends LongStatistic

/** The high word of the sum. */
case object SumHighWord extends LongStatistic
case object LongMean extends LongStatistic

/** The number of elements in the sum. */
case object SumCount extends LongStatistic

case object LongSumStructure
    extends Structure[LongStatistic]("128-bit sums", words = 3, hasOutcomes = true) {
  protected def slider(stats: Array[LongStatistic], spec: SliderSpec, bytes: KeptBytes): Slider =
    new LongSumSlider(stats)
}

private final class LongSumSlider(stats: Array[LongStatistic]) extends Slider(stats.length) {
  private var high, low = new Array[Long](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val rows = frames.rows
    if (high.length < rows) {
      high = new Array[Long](rows + rows / 4)
      low = new Array[Long](rows + rows / 4)
    }
    LongSums.slide(columns(0), frames, high, low)
    var a = 0
    while (a < stats.length) {
      val statistic = stats(a)
      val onOverflow = statistic match {
        case LongSum(outcome) => outcome
        case _ => Outcome.Value
      }
      var row = 0
      while (row < rows) {
        val at = row * stats.length + a
        val n = frames.until(row) - frames.from(row)
        outcomes(at) =
          if (n == 0) Outcome.Null
          else if (onOverflow != Outcome.Value && !LongSums.isLong(high(row), low(row))) onOverflow.toByte
          else Outcome.Value
        out(at) =
          if (statistic eq LongMean)
            java.lang.Double.doubleToRawLongBits(LongSums.toDouble(high(row), low(row)) / n)
          else if (statistic eq SumHighWord) high(row)
          else if (statistic eq SumCount) n.toLong
          else low(row)
        row += 1
      }
      a += 1
    }
  }
}

/** A statistic computed from a sum of doubles. */
sealed abstract class DoubleStatistic extends FrameStatistic {
  def structure: DoubleSumStructure.type = DoubleSumStructure
}
case object DoubleSum extends DoubleStatistic
case object DoubleMean extends DoubleStatistic

case object DoubleSumStructure extends Structure[DoubleStatistic]("compensated sums") {
  protected def slider(stats: Array[DoubleStatistic], spec: SliderSpec, bytes: KeptBytes): Slider =
    new DoubleSumSlider(stats)
}

private final class DoubleSumSlider(stats: Array[DoubleStatistic]) extends Slider(stats.length) {
  private val sums = new DoubleSums
  private var found = new Array[Double](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val rows = frames.rows
    if (found.length < rows) found = new Array[Double](rows + rows / 4)
    sums.slide(doubles(columns(0), frames), frames, found)
    var a = 0
    while (a < stats.length) {
      val isMean = stats(a) eq DoubleMean
      var row = 0
      while (row < rows) {
        val sum = found(row)
        out(row * stats.length + a) = java.lang.Double.doubleToRawLongBits(
          if (isMean) sum / (frames.until(row) - frames.from(row)) else sum
        )
        row += 1
      }
      a += 1
    }
  }
}

/** The number of distinct keys. */
case object DistinctKeyCount extends FrameStatistic {
  def structure: DistinctStructure.type = DistinctStructure
}

case object DistinctStructure
    extends Structure[DistinctKeyCount.type]("distinct counts", answersEmpty = true) {
  protected def slider(
      stats: Array[DistinctKeyCount.type],
      spec: SliderSpec,
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

/** The bitwise AND, OR or XOR of the elements. */
sealed abstract class BitStatistic extends FrameStatistic {
  def structure: BitStructure.type = BitStructure
}
case object BitsAnd extends BitStatistic
case object BitsOr extends BitStatistic
case object BitsXor extends BitStatistic

case object BitStructure extends Structure[BitStatistic]("bits") {
  protected def slider(stats: Array[BitStatistic], spec: SliderSpec, bytes: KeptBytes): Slider =
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
