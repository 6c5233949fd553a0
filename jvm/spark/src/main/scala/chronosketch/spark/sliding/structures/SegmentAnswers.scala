package chronosketch.spark.sliding.structures

import org.apache.spark.TaskContext

import chronosketch.sliding.Frames
import chronosketch.spark.sliding.frames.{FrameColumns, FrameDriver}
import chronosketch.spark.sql.SparkPrivates

/** Answers the statistics of one slider for a segment of rows, and stores the answers until the next segment.
  *
  * Memory  9 bytes a row for its frame, and 8 bytes for each word; three times as much for words with bounds
  */
final class SegmentAnswers(spec: SliderSpec, driver: FrameDriver, columns: FrameColumns) {
  private val statistics = spec.statistics.length
  private val structure = spec.structure
  private val slider = structure.slider(spec, columns.bytes)
  private val elements = new SegmentElements(spec.elements)

  // frames without elements have no answer, and the slider doesn't say so itself
  private val keepsEmptiness = !structure.answersEmpty && !structure.hasOutcomes

  private var words = new Array[Long](0)
  private var outcomes: Array[Byte] = null
  private var isEmpty = new Array[Boolean](0)
  private var lows, highs = new Array[Long](0)
  private var hasBounds = false

  /** Answers the n rows from `segment` on. Their frames must be in memory. */
  def answer(segment: Long, rows: Int): Unit = {
    reserve(rows, isBounded = false)
    val (values, frames) = elements.read(driver, columns, segment, rows)
    slider.slide(values, frames, words, outcomes)
    if (keepsEmptiness) {
      var row = 0
      while (row < rows) { isEmpty(row) = frames.from(row) == frames.until(row); row += 1 }
    }
  }

  /** How many of the n rows from `segment` on come before the first row whose frame is too large for an exact answer. */
  def exactRows(segment: Long, rows: Int): Int = spec.approximation.fold(rows) { approximation =>
    var i = 0
    while (i < rows && driver.until(segment + i) - driver.from(segment + i) <= approximation.exactRows)
      i += 1
    i
  }

  // ---- answers of frames that are not in memory

  /** Makes room for the answers of n rows.
    *
    * @param isBounded whether answers have bounds, because some may not be exact
    */
  def reserve(rows: Int, isBounded: Boolean): Unit = {
    hasBounds = isBounded
    if (isEmpty.length < rows) {
      val room = rows + rows / 4
      isEmpty = new Array[Boolean](room)
      if (structure.words > 0) words = new Array[Long](statistics * room)
      if (structure.hasOutcomes) outcomes = new Array[Byte](statistics * room)
    }
    if (isBounded && lows.length < words.length) {
      lows = new Array[Long](words.length)
      highs = new Array[Long](words.length)
    }
  }

  /** Answers the marked rows exactly. The first frame belongs to row `first`. */
  def answer(values: Array[Array[Long]], frames: Frames, first: Int, isMarked: Array[Boolean]): Unit = {
    val found = new Array[Long](statistics * frames.rows)
    val newOutcomes = if (outcomes == null) null else new Array[Byte](statistics * frames.rows)
    slider.slide(values, frames, found, newOutcomes)
    var i = 0
    while (i < frames.rows) {
      if (isMarked(first + i)) {
        setEmpty(first + i, frames.from(i) == frames.until(i))
        var a = 0
        while (a < statistics) {
          val (at, place) = ((first + i) * statistics + a, i * statistics + a)
          if (outcomes != null) outcomes(at) = newOutcomes(place)
          set(first + i, a, found(place), found(place), found(place))
          a += 1
        }
      }
      i += 1
    }
  }

  /** Sets whether a row's frame has no elements. */
  def setEmpty(row: Int, isFrameEmpty: Boolean): Unit = isEmpty(row) = isFrameEmpty

  /** Sets an answer, and the bounds of the exact answer. */
  def set(row: Int, place: Int, value: Long, low: Long, high: Long): Unit = {
    val at = row * statistics + place
    words(at) = value
    lows(at) = low
    highs(at) = high
  }

  // ---- reading

  /** The [[Outcome]] of a row's statistic. */
  def outcome(row: Int, place: Int): Int =
    if (outcomes != null) outcomes(row * statistics + place).toInt
    else if (keepsEmptiness && isEmpty(row)) Outcome.Null
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
    case _ => throw new IllegalStateException(spec.toString)
  }
}

/** Reads the elements of a segment's frames from the columns in memory. Leaves out rows without an element, so that frames of rows
  * become frames of elements. Reuses its arrays.
  *
  * Cost  a scan of the flags; a copy if a row has no element
  *
  * @param places the indexes of the row's values to read; a row has no element if the first is NULL
  */
private final class SegmentElements(places: Seq[Int]) {
  private val cancellation = SparkPrivates.cancellationOf(TaskContext.get())
  private val nullBit = 2L << places.head
  private val copies = Array.fill(places.length + 1)(new Array[Long](0))
  private var from, until = new Array[Int](0)
  private var elementsBefore = new Array[Int](0)

  /** Returns the elements, and the frames of the n rows from `segment` on. If there are other values for each element, these and the
    * flags follow. Both are valid until the next call.
    */
  def read(
      driver: FrameDriver,
      columns: FrameColumns,
      segment: Long,
      rows: Int
  ): (Array[Array[Long]], Frames) = {
    val origin = columns.first
    val first = (driver.from(segment) - origin).toInt
    val end = (driver.until(segment + rows - 1) - origin).toInt
    val values = places.map(columns.values(_)).toArray
    val all = if (values.length > 1) values :+ columns.flags else values
    if (from.length < rows) {
      from = new Array[Int](rows + rows / 4)
      until = new Array[Int](rows + rows / 4)
    }
    if (!hasNulls(columns.flags, first, end)) {
      var i = 0
      while (i < rows) {
        from(i) = (driver.from(segment + i) - origin).toInt
        until(i) = (driver.until(segment + i) - origin).toInt
        i += 1
      }
      (all, new Frames(from, until, rows, cancellation))
    } else {
      countElements(columns.flags, first, end)
      var i = 0
      while (i < rows) {
        from(i) = elementsBefore((driver.from(segment + i) - origin).toInt - first)
        until(i) = elementsBefore((driver.until(segment + i) - origin).toInt - first)
        i += 1
      }
      (
        all.indices.map(c => copy(all(c), columns.flags, first, end, c)).toArray,
        new Frames(from, until, rows, cancellation)
      )
    }
  }

  private def hasNulls(flags: Array[Long], first: Int, end: Int): Boolean = {
    var some = 0L
    var i = first
    while (i < end) { some |= flags(i); i += 1 }
    (some & nullBit) != 0L
  }

  private def countElements(flags: Array[Long], first: Int, end: Int): Unit = {
    if (elementsBefore.length < end - first + 1)
      elementsBefore = new Array[Int](end - first + 1 + (end - first) / 4)
    val counts = elementsBefore
    var count = 0
    var i = first
    while (i < end) {
      counts(i - first) = count
      if ((flags(i) & nullBit) == 0L) count += 1
      i += 1
    }
    counts(end - first) = count
  }

  private def copy(column: Array[Long], flags: Array[Long], first: Int, end: Int, c: Int): Array[Long] = {
    if (copies(c).length < end - first) copies(c) = new Array[Long](end - first + (end - first) / 4)
    val present = copies(c)
    var count = 0
    var i = first
    while (i < end) {
      if ((flags(i) & nullBit) == 0L) {
        present(count) = column(i)
        count += 1
      }
      i += 1
    }
    present
  }
}
