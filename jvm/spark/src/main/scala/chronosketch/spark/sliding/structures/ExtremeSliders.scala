package chronosketch.spark.sliding.structures

import chronosketch.domain.DoubleKeys
import chronosketch.sliding.Frames
import chronosketch.sliding.fold.FrameExtremes
import chronosketch.spark.sliding.frames.KeptBytes

/** The least or the greatest key. */
final case class ExtremeKey(isLeast: Boolean) extends FrameStatistic {
  def kind: ExtremeStructure.type = ExtremeStructure
}

case object ExtremeStructure extends StructureKind[ExtremeKey]("extremes") {
  protected def slider(stats: Array[ExtremeKey], structure: Structure, bytes: KeptBytes): Slider =
    new ExtremeSlider(stats.map(_.isLeast))
}

private final class ExtremeSlider(least: Array[Boolean]) extends Slider(least.length) {
  private val extremes = new FrameExtremes

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

/** The bits of the least or the greatest double. Zeros of both signs compare equal; the first zero of the frame is returned, as in
  * Spark.
  */
final case class ExtremeDouble(isLeast: Boolean) extends FrameStatistic {
  def kind: ExtremeDoubleStructure.type = ExtremeDoubleStructure
}

case object ExtremeDoubleStructure extends StructureKind[ExtremeDouble]("extremes") {
  protected def slider(stats: Array[ExtremeDouble], structure: Structure, bytes: KeptBytes): Slider =
    new ExtremeDoubleSlider(stats.map(_.isLeast))
}

private final class ExtremeDoubleSlider(least: Array[Boolean]) extends Slider(least.length) {
  private val extremes = new FrameExtremes
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

  /** For each element, finds the next zero at or after it. */
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

/** The value of the row with the least or the greatest key. */
final case class MinMaxBy(isLeast: Boolean) extends FrameStatistic {
  def kind: MinMaxByStructure.type = MinMaxByStructure
}

case object MinMaxByStructure extends StructureKind[MinMaxBy]("places of extremes", hasOutcomes = true) {
  protected def slider(stats: Array[MinMaxBy], structure: Structure, bytes: KeptBytes): Slider =
    new MinMaxBySlider(stats.map(_.isLeast), 2L << structure.elements(1))
}

/** Reads three columns: the keys, their values, and flags. `nullBit` of the flags is set if the value is NULL. */
private final class MinMaxBySlider(least: Array[Boolean], nullBit: Long) extends Slider(least.length) {
  private val extremes = new FrameExtremes
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
