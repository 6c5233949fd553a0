package chronosketch.spark.sliding

import chronosketch.domain.DoubleKeys
import chronosketch.rank.Phi
import chronosketch.sliding._

import org.apache.spark.sql.types.{DataType, DecimalType, DoubleType, FloatType}

/** What answers the asks of one structure, a segment at a time. One a task: its room is used again.
  *
  * @param asked how many words a row has
  */
abstract class Slider(asked: Int) {

  /** Leaves at out(row·asked + a) what answers ask a, and there in `outcomes` whether it does, where the kind has such; what is
    * there of an empty frame says nothing, but of kinds that answer it.
    */
  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit

  private var words = new Array[Long](0)
  private var numbers = new Array[Double](0)
  private var others = new Array[Double](0)

  /** Room for an answer to each row, where they are not all that there are. */
  protected final def answersOf(frames: Frames, out: Array[Long]): Array[Long] =
    if (asked == 1) out else roomOf(frames.rows)

  protected final def roomOf(length: Int): Array[Long] = {
    if (words.length < length) words = new Array[Long](length + length / 4)
    words
  }

  protected final def scatter(answers: Array[Long], frames: Frames, a: Int, out: Array[Long]): Unit =
    if (answers ne out) {
      var row = 0
      while (row < frames.rows) { out(row * asked + a) = answers(row); row += 1 }
    }

  /** The doubles of these bits that some frame has. */
  protected final def doubles(bits: Array[Long], frames: Frames): Array[Double] = {
    numbers = Slider.decode(bits, frames, numbers)
    numbers
  }

  protected final def otherDoubles(bits: Array[Long], frames: Frames): Array[Double] = {
    others = Slider.decode(bits, frames, others)
    others
  }

  protected final def setAnswers(
      from: Answers,
      rows: Int,
      a: Int,
      undefined: Int,
      divided: Int,
      out: Array[Long],
      outcomes: Array[Byte]
  ): Unit = {
    val values = from.values
    val found = from.outcomes
    var row = 0
    while (row < rows) {
      val at = row * asked + a
      val outcome = found(row).toInt
      out(at) = java.lang.Double.doubleToRawLongBits(
        if (outcome == Answers.Undefined) Double.NaN else values(row)
      )
      outcomes(at) =
        if (outcome == Answers.Undefined) undefined.toByte
        else if (outcome == Answers.DivisionByZero) divided.toByte
        else outcome.toByte
      row += 1
    }
  }
}

object Slider {
  private def decode(bits: Array[Long], frames: Frames, room: Array[Double]): Array[Double] = {
    val end = frames.until(frames.rows - 1)
    val into = if (room.length >= end) room else new Array[Double](end + end / 4)
    var i = frames.from(0)
    while (i < end) { into(i) = java.lang.Double.longBitsToDouble(bits(i)); i += 1 }
    into
  }

  def of(structure: Structure): Slider = {
    val asks = structure.asks
    structure.kind match {
      case SlidingKind.Quantiles => new QuantileSlider(asks.collect { case Ask.Quantile(phi) => phi }.toArray)
      case SlidingKind.Percentages =>
        new PercentageSlider(asks.collect { case p: Ask.Percentage => p }.toArray)
      case SlidingKind.Extremes =>
        new ExtremeSlider(asks.collect { case Ask.Extreme(least) => least }.toArray)
      case SlidingKind.FloatingExtremes =>
        new FloatingExtremeSlider(asks.collect { case Ask.FloatingExtreme(least) => least }.toArray)
      case SlidingKind.Places =>
        new PlaceSlider(asks.collect { case Ask.Beside(least) => least }.toArray, 2L << structure.elements(1))
      case SlidingKind.Counts => new CountSlider(asks.length)
      case SlidingKind.LongSums => new LongSumSlider(asks.toArray)
      case SlidingKind.DoubleSums => new DoubleSumSlider(asks.toArray)
      case SlidingKind.Moments => new MomentSlider(asks.collect { case m: Ask.Moment => m }.toArray)
      case SlidingKind.CrossMoments =>
        new CrossMomentSlider(asks.collect { case m: Ask.CrossMoment => m }.toArray)
      case SlidingKind.Mode =>
        new ModeSlider(asks.collect { case Ask.MostFrequent(greatest) => greatest }.toArray)
      case SlidingKind.Bits => new BitSlider(asks.toArray)
    }
  }
}

private final class QuantileSlider(phis: Array[Phi]) extends Slider(phis.length) {
  private val sort = new BlockSort(Ranks(phis.toSeq: _*))

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit =
    sort.slide(columns(0), frames, out)
}

/** Spark's `percentile`: where a share of the way from the first element to the last is, between the two that are next to it. */
private final class PercentageSlider(asks: Array[Ask.Percentage]) extends Slider(asks.length) {
  private val shares = asks.map(_.share)
  private val number = PercentageSlider.number(asks(0).dataType)
  private val sort = new BlockSort(new Ranks {
    def count: Int = 2 * asks.length
    def of(n: Int, into: Array[Int]): Unit = {
      var a = 0
      while (a < asks.length) {
        val position = (n - 1).toDouble * shares(a)
        into(2 * a) = math.floor(position).toInt + 1
        into(2 * a + 1) = math.ceil(position).toInt + 1
        a += 1
      }
    }
  })

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val asked = asks.length
    val keys = roomOf(2 * asked * frames.rows)
    sort.slide(columns(0), frames, keys)
    var row = 0
    while (row < frames.rows) {
      val last = (frames.until(row) - frames.from(row) - 1).toDouble
      var a = 0
      while (last >= 0 && a < asked) {
        val position = last * shares(a)
        val lower = math.floor(position)
        val higher = math.ceil(position)
        val lowerKey = keys(2 * (row * asked + a))
        val higherKey = keys(2 * (row * asked + a) + 1)
        val value =
          if (lower == higher || lowerKey == higherKey) number(lowerKey)
          else (higher - position) * number(lowerKey) + (position - lower) * number(higherKey)
        out(row * asked + a) = java.lang.Double.doubleToRawLongBits(value)
        a += 1
      }
      row += 1
    }
  }
}

private object PercentageSlider {
  def number(dataType: DataType): Long => Double = dataType match {
    case FloatType | DoubleType => DoubleKeys.value
    case d: DecimalType => key => java.math.BigDecimal.valueOf(key, d.scale).doubleValue
    case _ => _.toDouble
  }
}

private final class ExtremeSlider(least: Array[Boolean]) extends Slider(least.length) {
  private val extremes = new Extremes

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val answers = answersOf(frames, out)
    var a = 0
    while (a < least.length) {
      if (least(a)) extremes.least(columns(0), frames, answers)
      else extremes.greatest(columns(0), frames, answers)
      scatter(answers, frames, a, out)
      a += 1
    }
  }
}

/** Of zeros of both signs, which compare equal, Spark keeps the one that came first. */
private final class FloatingExtremeSlider(least: Array[Boolean]) extends Slider(least.length) {
  private val extremes = new Extremes
  private var keys = new Array[Long](0)
  private var nextZero = new Array[Int](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val bits = columns(0)
    val (first, end) = (frames.from(0), frames.until(frames.rows - 1))
    if (keys.length < end) keys = new Array[Long](end + end / 4)
    val keys1 = keys
    var isSigned = false
    var i = first
    while (i < end) {
      keys1(i) = DoubleKeys.key(java.lang.Double.longBitsToDouble(bits(i)))
      isSigned |= bits(i) == Long.MinValue
      i += 1
    }
    if (isSigned) findZeros(first, end)
    val answers = answersOf(frames, out)
    var a = 0
    while (a < least.length) {
      if (least(a)) extremes.least(keys1, frames, answers) else extremes.greatest(keys1, frames, answers)
      var row = 0
      while (row < frames.rows) {
        val from = frames.from(row)
        if (from < frames.until(row)) {
          val key = answers(row)
          answers(row) =
            if (isSigned && key == 0L) bits(nextZero(from))
            else java.lang.Double.doubleToRawLongBits(DoubleKeys.value(key))
        }
        row += 1
      }
      scatter(answers, frames, a, out)
      a += 1
    }
  }

  /** Of each element the first from it on that is a zero. */
  private def findZeros(first: Int, end: Int): Unit = {
    if (nextZero.length < end) nextZero = new Array[Int](keys.length)
    var next = end
    var i = end - 1
    while (i >= first) {
      if (keys(i) == 0L) next = i
      nextZero(i) = next
      i -= 1
    }
  }
}

/** Elements with a value beside each, and flags that say whether it is NULL. */
private final class PlaceSlider(least: Array[Boolean], nullBit: Long) extends Slider(least.length) {
  private val extremes = new Extremes
  private var places = new Array[Int](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val (keys, values, flags) = (columns(0), columns(1), columns(2))
    if (places.length < frames.rows) places = new Array[Int](frames.rows + frames.rows / 4)
    val places1 = places
    var a = 0
    while (a < least.length) {
      if (least(a)) extremes.leastAt(keys, frames, places1) else extremes.greatestAt(keys, frames, places1)
      var row = 0
      while (row < frames.rows) {
        val at = row * least.length + a
        if (frames.from(row) == frames.until(row)) outcomes(at) = Outcome.Null
        else {
          val place = places1(row)
          out(at) = values(place)
          outcomes(at) = if ((flags(place) & nullBit) != 0L) Outcome.Null else Outcome.Value
        }
        row += 1
      }
      a += 1
    }
  }
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

/** The greatest of the most frequent keys is the complement of the least of their complements. */
private final class ModeSlider(greatest: Array[Boolean]) extends Slider(greatest.length) {
  private val mode = new Mode
  private var complements = new Array[Long](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val answers = answersOf(frames, out)
    var a = 0
    while (a < greatest.length) {
      if (greatest(a)) {
        mode.slide(complementsOf(columns(0), frames), frames, answers)
        var row = 0
        while (row < frames.rows) { answers(row) = ~answers(row); row += 1 }
      } else mode.slide(columns(0), frames, answers)
      scatter(answers, frames, a, out)
      a += 1
    }
  }

  private def complementsOf(keys: Array[Long], frames: Frames): Array[Long] = {
    val end = frames.until(frames.rows - 1)
    if (complements.length < end) complements = new Array[Long](end + end / 4)
    var i = frames.from(0)
    while (i < end) { complements(i) = ~keys(i); i += 1 }
    complements
  }
}

private final class BitSlider(asks: Array[Ask]) extends Slider(asks.length) {
  private val bits = new Bits

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val answers = answersOf(frames, out)
    var a = 0
    while (a < asks.length) {
      asks(a) match {
        case Ask.And => bits.and(columns(0), frames, answers)
        case Ask.Or => bits.or(columns(0), frames, answers)
        case _ => bits.xor(columns(0), frames, answers)
      }
      scatter(answers, frames, a, out)
      a += 1
    }
  }
}
