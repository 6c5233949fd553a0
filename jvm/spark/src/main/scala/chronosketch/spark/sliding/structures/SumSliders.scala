package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.moments.{DoubleSums, LongSums}
import chronosketch.spark.sliding.frames.KeptBytes

/** How many elements there are. */
case object FrameCount extends FrameStatistic {
  def kind: CountStructure.type = CountStructure
}

case object CountStructure extends StructureKind[FrameCount.type]("counts", answersEmpty = true) {
  protected def slider(asked: Array[FrameCount.type], structure: Structure, bytes: KeptBytes): Slider =
    new CountSlider(asked.length)
}

private final class CountSlider(asked: Int) extends Slider(asked) {
  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    var at = 0
    while (at < asked * frames.rows) {
      out(at) = (frames.until(at / asked) - frames.from(at / asked)).toLong
      at += 1
    }
  }
}

/** What sums of whole numbers answer. */
sealed abstract class LongStatistic extends FrameStatistic {
  def kind: LongSumStructure.type = LongSumStructure
}

/** The low word of the sum. Beyond 64 bits `beyond` is the outcome; where that is a value, the sum is wrapped around. */
final case class LongSum(beyond: Int) extends LongStatistic

/** The high word of the sum. */
case object SumHighWord extends LongStatistic
case object LongMean extends LongStatistic

/** How many elements the sum is of. */
case object SumCount extends LongStatistic

case object LongSumStructure
    extends StructureKind[LongStatistic]("128-bit sums", words = 3, hasOutcomes = true) {
  protected def slider(asked: Array[LongStatistic], structure: Structure, bytes: KeptBytes): Slider =
    new LongSumSlider(asked)
}

private final class LongSumSlider(asks: Array[LongStatistic]) extends Slider(asks.length) {
  private var high, low = new Array[Long](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val rows = frames.rows
    if (high.length < rows) {
      high = new Array[Long](rows + rows / 4)
      low = new Array[Long](rows + rows / 4)
    }
    LongSums.slide(columns(0), frames, high, low)
    var a = 0
    while (a < asks.length) {
      val ask = asks(a)
      val beyond = ask match {
        case LongSum(outcome) => outcome
        case _ => Outcome.Value
      }
      var row = 0
      while (row < rows) {
        val at = row * asks.length + a
        val n = frames.until(row) - frames.from(row)
        outcomes(at) =
          if (n == 0) Outcome.Null
          else if (beyond != Outcome.Value && !LongSums.isLong(high(row), low(row))) beyond.toByte
          else Outcome.Value
        out(at) =
          if (ask eq LongMean)
            java.lang.Double.doubleToRawLongBits(LongSums.toDouble(high(row), low(row)) / n)
          else if (ask eq SumHighWord) high(row)
          else if (ask eq SumCount) n.toLong
          else low(row)
        row += 1
      }
      a += 1
    }
  }
}

/** What sums of doubles answer. */
sealed abstract class DoubleStatistic extends FrameStatistic {
  def kind: DoubleSumStructure.type = DoubleSumStructure
}
case object DoubleSum extends DoubleStatistic
case object DoubleMean extends DoubleStatistic

case object DoubleSumStructure extends StructureKind[DoubleStatistic]("compensated sums") {
  protected def slider(asked: Array[DoubleStatistic], structure: Structure, bytes: KeptBytes): Slider =
    new DoubleSumSlider(asked)
}

private final class DoubleSumSlider(asks: Array[DoubleStatistic]) extends Slider(asks.length) {
  private val sums = new DoubleSums
  private var found = new Array[Double](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val rows = frames.rows
    if (found.length < rows) found = new Array[Double](rows + rows / 4)
    sums.slide(doubles(columns(0), frames), frames, found)
    var a = 0
    while (a < asks.length) {
      val isMean = asks(a) eq DoubleMean
      var row = 0
      while (row < rows) {
        val sum = found(row)
        out(row * asks.length + a) = java.lang.Double.doubleToRawLongBits(
          if (isMean) sum / (frames.until(row) - frames.from(row)) else sum
        )
        row += 1
      }
      a += 1
    }
  }
}
