package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames

/** The answers of one structure to a segment of rows.
  *
  * Memory  8 bytes a row for its frame, and 8 for each word; three times that for words with bounds
  */
final class StructureAnswers(structure: Structure, slider: Slider) {
  private val asked = structure.statistics.length
  private val kind = structure.kind
  private val answersEmpty = kind.answersEmpty

  private var words = new Array[Long](0)
  private var known: Array[Byte] = null
  private var lows, highs = new Array[Long](0)
  private var hasBounds = false

  /** Of each row, where its frame begins among the elements, and where it has ended. */
  var from, until = new Array[Int](0)

  /** Makes room for the answers of so many rows.
    *
    * @param isBounded whether they have bounds, because some of them may not be exact
    */
  def begin(rows: Int, isBounded: Boolean): Unit = {
    hasBounds = isBounded
    if (from.length < rows) {
      val room = rows + rows / 4
      from = new Array[Int](room)
      until = new Array[Int](room)
      if (kind.words > 0) words = new Array[Long](asked * room)
      if (kind.hasOutcomes) known = new Array[Byte](asked * room)
    }
    if (isBounded && lows.length < words.length) {
      lows = new Array[Long](words.length)
      highs = new Array[Long](words.length)
    }
  }

  /** Answers all rows, whose frames are those that have been set. */
  def slide(columns: Array[Array[Long]], rows: Int): Unit =
    slider.slide(columns, new Frames(from, until, rows), words, known)

  /** Answers those rows that are marked; the first frame is that of row `first`. */
  def slide(columns: Array[Array[Long]], frames: Frames, first: Int, isMarked: Array[Boolean]): Unit = {
    val found = new Array[Long](asked * frames.rows)
    val outcomes = if (known == null) null else new Array[Byte](asked * frames.rows)
    slider.slide(columns, frames, found, outcomes)
    var i = 0
    while (i < frames.rows) {
      if (isMarked(first + i)) {
        setFrame(first + i, frames.until(i) > frames.from(i))
        var a = 0
        while (a < asked) {
          val (at, place) = ((first + i) * asked + a, i * asked + a)
          if (known != null) known(at) = outcomes(place)
          setBounds(first + i, a, found(place), found(place), found(place))
          a += 1
        }
      }
      i += 1
    }
  }

  /** Says whether the frame of a row has elements. */
  def setFrame(row: Int, hasElements: Boolean): Unit = {
    from(row) = 0
    until(row) = if (hasElements) 1 else 0
  }

  /** Sets an answer, and the words between which the exact one is. */
  def setBounds(row: Int, place: Int, value: Long, low: Long, high: Long): Unit = {
    val at = row * asked + place
    words(at) = value
    lows(at) = low
    highs(at) = high
  }

  /** What becomes of the answer to a row's statistic. */
  def outcome(row: Int, place: Int): Int =
    if (known != null) known(row * asked + place).toInt
    else if (from(row) == until(row) && !answersEmpty) Outcome.Null
    else Outcome.Value

  /** The word that answers a row's statistic. */
  def word(row: Int, place: Int): Long = words(row * asked + place)

  /** The words between which the exact answer to a quantile is. */
  def low(row: Int, place: Int): Long = (if (hasBounds) lows else words) (row * asked + place)
  def high(row: Int, place: Int): Long = (if (hasBounds) highs else words) (row * asked + place)

  /** The sketch that answers a row's statistic; rows are asked for in their order. */
  def sketch(row: Int, place: Int): Array[Byte] = slider match {
    case sketches: SketchSlider => sketches.sketch(row, place)
    case _ => throw new IllegalStateException(structure.toString)
  }
}
