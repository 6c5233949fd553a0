package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames

/** Stores the answers of one structure to a segment of rows.
  *
  * Memory  8 bytes a row for its frame, and 8 bytes for each word; three times as much for words with bounds
  */
final class StructureAnswers(structure: Structure, slider: Slider) {
  private val statistics = structure.statistics.length
  private val kind = structure.kind
  private val answersEmpty = kind.answersEmpty

  private var words = new Array[Long](0)
  private var outcomes: Array[Byte] = null
  private var lows, highs = new Array[Long](0)
  private var hasBounds = false

  /** For each row, the first element of its frame, and the end of the frame among the elements. */
  var from, until = new Array[Int](0)

  /** Makes room for the answers of n rows.
    *
    * @param isBounded whether answers have bounds, because some may not be exact
    */
  def begin(rows: Int, isBounded: Boolean): Unit = {
    hasBounds = isBounded
    if (from.length < rows) {
      val room = rows + rows / 4
      from = new Array[Int](room)
      until = new Array[Int](room)
      if (kind.words > 0) words = new Array[Long](statistics * room)
      if (kind.hasOutcomes) outcomes = new Array[Byte](statistics * room)
    }
    if (isBounded && lows.length < words.length) {
      lows = new Array[Long](words.length)
      highs = new Array[Long](words.length)
    }
  }

  /** Answers all rows. Their frames must have been set in [[from]] and [[until]]. */
  def slide(columns: Array[Array[Long]], rows: Int): Unit =
    slider.slide(columns, new Frames(from, until, rows), words, outcomes)

  /** Answers the marked rows. The first frame belongs to row `first`. */
  def slide(columns: Array[Array[Long]], frames: Frames, first: Int, isMarked: Array[Boolean]): Unit = {
    val found = new Array[Long](statistics * frames.rows)
    val newOutcomes = if (outcomes == null) null else new Array[Byte](statistics * frames.rows)
    slider.slide(columns, frames, found, newOutcomes)
    var i = 0
    while (i < frames.rows) {
      if (isMarked(first + i)) {
        setFrame(first + i, frames.until(i) > frames.from(i))
        var a = 0
        while (a < statistics) {
          val (at, place) = ((first + i) * statistics + a, i * statistics + a)
          if (outcomes != null) outcomes(at) = newOutcomes(place)
          setBounds(first + i, a, found(place), found(place), found(place))
          a += 1
        }
      }
      i += 1
    }
  }

  /** Sets whether the frame of a row has elements: from = 0 and until = 1 means that it has some. */
  def setFrame(row: Int, hasElements: Boolean): Unit = {
    from(row) = 0
    until(row) = if (hasElements) 1 else 0
  }

  /** Sets an answer, and the bounds of the exact answer. */
  def setBounds(row: Int, place: Int, value: Long, low: Long, high: Long): Unit = {
    val at = row * statistics + place
    words(at) = value
    lows(at) = low
    highs(at) = high
  }

  /** The [[Outcome]] of a row's statistic. */
  def outcome(row: Int, place: Int): Int =
    if (outcomes != null) outcomes(row * statistics + place).toInt
    else if (from(row) == until(row) && !answersEmpty) Outcome.Null
    else Outcome.Value

  /** The word that answers a row's statistic. */
  def word(row: Int, place: Int): Long = words(row * statistics + place)

  /** The lower bound of the exact answer to a quantile. */
  def low(row: Int, place: Int): Long = (if (hasBounds) lows else words) (row * statistics + place)

  /** The upper bound of the exact answer to a quantile. */
  def high(row: Int, place: Int): Long = (if (hasBounds) highs else words) (row * statistics + place)

  /** The sketch that answers a row's statistic. Must be called with ascending rows. */
  def sketch(row: Int, place: Int): Array[Byte] = slider match {
    case sketches: SketchSlider => sketches.sketch(row, place)
    case _ => throw new IllegalStateException(structure.toString)
  }
}
