package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.moments.Answers

/** Answers the statistics of one structure in a task, a segment of rows at a time. Reuses its arrays.
  *
  * @param count the number of statistics; each has one word a row
  */
abstract class Slider(count: Int) {

  /** Writes the answer to statistic a to out(row·count + a). If the structure has outcomes, writes the outcome to the same index of
    * `outcomes`. The word of an empty frame is undefined, unless the structure answers empty frames.
    */
  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit

  private var words = new Array[Long](0)
  private var numbers = new Array[Double](0)
  private var seconds = new Array[Double](0)

  /** The array to write the answers of one statistic to. It is `out` itself if there is only one statistic. */
  protected final def answersOf(frames: Frames, out: Array[Long]): Array[Long] =
    if (count == 1) out else roomOf(frames.rows)

  protected final def roomOf(length: Int): Array[Long] = {
    if (words.length < length) words = new Array[Long](length + length / 4)
    words
  }

  /** Copies the answers of statistic a to `out`, unless they are already there. */
  protected final def scatter(answers: Array[Long], frames: Frames, a: Int, out: Array[Long]): Unit =
    if (answers ne out) {
      var row = 0
      while (row < frames.rows) { out(row * count + a) = answers(row); row += 1 }
    }

  /** The elements of all frames as doubles. */
  protected final def doubles(bits: Array[Long], frames: Frames): Array[Double] = {
    numbers = Slider.decode(bits, frames, numbers)
    numbers
  }

  protected final def secondDoubles(bits: Array[Long], frames: Frames): Array[Double] = {
    seconds = Slider.decode(bits, frames, seconds)
    seconds
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
      val at = row * count + a
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

private object Slider {
  private def decode(bits: Array[Long], frames: Frames, room: Array[Double]): Array[Double] = {
    val end = frames.until(frames.rows - 1)
    val into = if (room.length >= end) room else new Array[Double](end + end / 4)
    var i = frames.from(0)
    while (i < end) { into(i) = java.lang.Double.longBitsToDouble(bits(i)); i += 1 }
    into
  }
}

/** The outcomes of a statistic: those of [[chronosketch.sliding.moments.Answers]], and Spark's overflow error. */
object Outcome {
  final val Value = 0
  final val Null = 1
  final val DivisionByZero = 3
  final val Overflow = 4
}
