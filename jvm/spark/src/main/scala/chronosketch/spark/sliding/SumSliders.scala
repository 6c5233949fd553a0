package chronosketch.spark.sliding

import chronosketch.sliding.Frames
import chronosketch.sliding.moments.{Answers, CrossMoments, DoubleSums, LongSums, Moments}

private final class CountSlider(asked: Int) extends Slider(asked) {
  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    var at = 0
    while (at < asked * frames.rows) {
      out(at) = (frames.until(at / asked) - frames.from(at / asked)).toLong
      at += 1
    }
  }
}

private final class LongSumSlider(asks: Array[Ask]) extends Slider(asks.length) {
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
        case Ask.LongSum(outcome) => outcome
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
          if (ask eq Ask.LongMean)
            java.lang.Double.doubleToRawLongBits(LongSums.toDouble(high(row), low(row)) / n)
          else if (ask eq Ask.HighWord) high(row)
          else if (ask eq Ask.Elements) n.toLong
          else low(row)
        row += 1
      }
      a += 1
    }
  }
}

private final class DoubleSumSlider(asks: Array[Ask]) extends Slider(asks.length) {
  private val sums = new DoubleSums
  private var found = new Array[Double](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val rows = frames.rows
    if (found.length < rows) found = new Array[Double](rows + rows / 4)
    sums.slide(doubles(columns(0), frames), frames, found)
    var a = 0
    while (a < asks.length) {
      val isMean = asks(a) eq Ask.DoubleMean
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

private final class MomentSlider(asks: Array[Ask.Moment]) extends Slider(asks.length) {
  private val moments = new Moments
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

private final class CrossMomentSlider(asks: Array[Ask.CrossMoment]) extends Slider(asks.length) {
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
