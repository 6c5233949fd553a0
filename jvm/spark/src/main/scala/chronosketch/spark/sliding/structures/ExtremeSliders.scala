package chronosketch.spark.sliding.structures

import chronosketch.domain.DoubleKeys
import chronosketch.sliding.Frames
import chronosketch.sliding.fold.FrameExtremes
import chronosketch.sliding.order.{BlockSort, Ranks}
import chronosketch.spark.sliding.frames.KeptBytes

/** The least or the greatest key. */
final case class ExtremeKey(isLeast: Boolean) extends FrameStatistic {
  def structure: ExtremeStructure.type = ExtremeStructure
}

case object ExtremeStructure extends Structure[ExtremeKey]("extremes") {
  protected def slider(stats: Array[ExtremeKey], spec: SliderSpec, bytes: KeptBytes): Slider =
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
  def structure: ExtremeDoubleStructure.type = ExtremeDoubleStructure
}

case object ExtremeDoubleStructure extends Structure[ExtremeDouble]("extremes") {
  protected def slider(stats: Array[ExtremeDouble], spec: SliderSpec, bytes: KeptBytes): Slider =
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
  def structure: MinMaxByStructure.type = MinMaxByStructure
}

case object MinMaxByStructure extends Structure[MinMaxBy]("places of extremes", hasOutcomes = true) {
  protected def slider(stats: Array[MinMaxBy], spec: SliderSpec, bytes: KeptBytes): Slider =
    new MinMaxBySlider(stats.map(_.isLeast), 2L << spec.elements(1))
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

/** A statistic of the least or greatest keys of a frame. */
sealed abstract class EndStatistic extends FrameStatistic {
  def structure: EndStructure.type = EndStructure
}

/** The number of elements. */
case object EndCount extends EndStatistic

/** The n-th least or greatest key; `place` is n, counted from 1. The word is undefined if the frame has fewer elements. */
final case class EndKey(place: Int, isGreatest: Boolean) extends EndStatistic

case object EndStructure extends Structure[EndStatistic]("block sort", answersEmpty = true) {
  protected def slider(stats: Array[EndStatistic], spec: SliderSpec, bytes: KeptBytes): Slider =
    new EndSlider(stats)
}

private final class EndSlider(stats: Array[EndStatistic]) extends Slider(stats.length) {
  private val ends = stats.collect { case end: EndKey => end }

  // for each word the index of its key in `ends`; −1 for the number of elements
  private val places = stats.map { case end: EndKey => ends.indexOf(end); case EndCount => -1 }
  private val sort = new BlockSort(new Ranks {
    def count: Int = ends.length
    def of(n: Int, into: Array[Int]): Unit = {
      var q = 0
      while (q < ends.length) {
        val place = math.min(ends(q).place, n)
        into(q) = if (ends(q).isGreatest) n + 1 - place else place
        q += 1
      }
    }
  })

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val keys = roomOf(ends.length * frames.rows)
    sort.slide(columns(0), frames, keys)
    var row = 0
    while (row < frames.rows) {
      var a = 0
      while (a < places.length) {
        out(row * places.length + a) =
          if (places(a) < 0) (frames.until(row) - frames.from(row)).toLong
          else keys(row * ends.length + places(a))
        a += 1
      }
      row += 1
    }
  }
}
