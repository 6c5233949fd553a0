package chronosketch.spark.sliding.structures

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.metric.SQLMetric

import chronosketch.rank.Phi
import chronosketch.sliding.certified.FrameQuantiles
import chronosketch.sliding.{ElementSink, Elements, Frames, LargeFrames}
import chronosketch.spark.sliding.frames.{ColumnCursor, FrameDriver, FrameMemory, SpilledColumns}
import chronosketch.spark.sql.SparkPrivates

/** Answers the statistics of one slider for a partition whose rows are on disk.
  *
  * Guarantee  a frame of up to [[Approximation.exactRows]] rows is answered exactly, a larger one by [[Approximation]]. Answers don't
  *            depend on memory or on where segments end: a summary begins with the first larger frame, and ends with a frame of at most
  *            half as many rows
  * Memory     the summary, two pages of rows, and the elements of the frames that are answered exactly
  */
final class SpilledAnswers(
    spec: SliderSpec,
    driver: FrameDriver,
    rows: SpilledColumns,
    answers: SegmentAnswers,
    memory: FrameMemory,
    metrics: LargeFrameMetrics
) {
  private val task = TaskContext.get()
  private val cancellation = SparkPrivates.cancellationOf(task)
  private val statistics = spec.statistics.length
  private val limit = spec.approximation.fold(Long.MaxValue)(_.exactRows)
  private val element = spec.elements.head
  private val bit = 2L << element
  private val elements = new SpilledElements(rows, element)
  private val quantiles: LargeFrames = spec.approximation.map { approximation =>
    approximation.frames(spec.statistics.collect { case KeyQuantile(phi) => phi }.toArray[Phi], elements)
  }.orNull
  private val cursor = new ColumnCursor(rows)
  private val keepsFlags = spec.elements.length > 1

  private var isSummarised = false
  private var peakBytes = 0L
  private var isExact = new Array[Boolean](0)

  /** Must be called before rows of another partition are read, and after the last one. */
  def reset(): Unit = {
    if (quantiles != null) quantiles.forget()
    isSummarised = false
    elements.reset()
    cursor.reset()
  }

  /** Answers the n rows from `segment` on. Returns the rows of the longest frame that was answered exactly. */
  def answer(segment: Long, count: Int): Long = {
    answers.reserve(count, isBounded = true)
    elements.refresh()
    cursor.refresh()
    if (isExact.length < count) isExact = new Array[Boolean](count)
    var first = -1
    var last = -1
    var exact = 0
    var longest = 0L
    val begun = System.nanoTime
    var i = 0
    while (i < count) {
      SparkPrivates.endIfKilled(task, i.toLong)
      val (from, until) = (driver.from(segment + i), driver.until(segment + i))
      val isLarge = until - from > limit
      if (isLarge || (isSummarised && until - from > limit / 2)) {
        isSummarised = true
        quantiles.moveTo(from, until)
      } else if (isSummarised) {
        isSummarised = false
        quantiles.forget()
      }
      isExact(i) = !isLarge
      if (isLarge) answerLarge(i)
      else {
        if (first < 0) first = i
        last = i
        exact += 1
        longest = math.max(longest, until - from)
      }
      i += 1
    }
    if (exact < count) {
      metrics.rows.add((count - exact).toLong)
      metrics.time.add(System.nanoTime - begun)
      val bytes = quantiles.sizeBytes
      if (bytes > peakBytes) {
        metrics.bytes.add(bytes - peakBytes)
        peakBytes = bytes
      }
    }
    if (exact > 0) answerExactly(segment, first, last + 1)
    longest
  }

  private def answerLarge(i: Int): Unit = {
    answers.setEmpty(i, quantiles.count == 0)
    var q = 0
    while (q < statistics) {
      val value = quantiles.value(q)
      quantiles match {
        case certain: FrameQuantiles => answers.set(i, q, value, certain.low(q), certain.high(q))
        case _ => answers.set(i, q, value, value, value)
      }
      q += 1
    }
  }

  /** The first row of a frame. If the frame is too large, the first of its last `limit` rows. */
  private def begin(row: Long): Long = math.max(driver.from(row), driver.until(row) - limit)

  private def answerExactly(segment: Long, first: Int, end: Int): Unit = {
    val low = begin(segment + first)
    val reached = driver.until(segment + end - 1) - low
    val count = end - first
    val words = spec.elements.length + (if (keepsFlags) 3 else 2)
    memory.reserve(reached, 8L * (reached * words + count.toLong * (2 + statistics * spec.structure.words)))
    val before = new Array[Int](reached.toInt + 1)
    var present = 0
    var i = 0
    while (i < reached) {
      before(i) = present
      if ((cursor.flags(low + i) & bit) == 0L) present += 1
      i += 1
    }
    before(i) = present
    val values = spec.elements.map(elementsOf(before, present, low, _))
    val flags = Option.when(keepsFlags)(elementsOf(before, present, low, SpilledAnswers.Flags))
    val froms, untils = new Array[Int](count)
    i = 0
    while (i < count) {
      val row = segment + first + i
      froms(i) = before((begin(row) - low).toInt)
      untils(i) = before((driver.until(row) - low).toInt)
      i += 1
    }
    answers.answer((values ++ flags).toArray, new Frames(froms, untils, count, cancellation), first, isExact)
    memory.release()
  }

  /** One value of the rows that have an element, or their flags. */
  private def elementsOf(before: Array[Int], present: Int, low: Long, value: Int): Array[Long] = {
    val column = new Array[Long](present)
    var i = 0
    while (i < before.length - 1) {
      if (before(i + 1) > before(i)) {
        val row = low + i
        column(before(i)) =
          if (value == SpilledAnswers.Flags) cursor.flags(row) else cursor.value(row, value)
      }
      i += 1
    }
    column
  }
}

/** Metrics of frames that are too large to be kept: the number of rows with such frames, the time to answer them, and the most bytes
  * that each slider kept for them.
  */
final case class LargeFrameMetrics(rows: SQLMetric, time: SQLMetric, bytes: SQLMetric)

private object SpilledAnswers {
  final val Flags = -1
}

/** Reads the elements of frames whose rows are on disk: the values that are not NULL. */
private final class SpilledElements(rows: SpilledColumns, element: Int) extends Elements {
  private val bit = 2L << element
  // two cursors, because elements are read where frames end and counted where they begin
  private val reading, counting = new ColumnCursor(rows)

  /** Must be called after rows were added. */
  def refresh(): Unit = {
    reading.refresh()
    counting.refresh()
  }

  /** Must be called before rows of another partition are read. */
  def reset(): Unit = {
    reading.reset()
    counting.reset()
  }

  def foreach(from: Long, until: Long, append: ElementSink): Unit = {
    var row = from
    while (row < until) {
      if ((reading.flags(row) & bit) == 0L) append.append(reading.value(row, element))
      row += 1
    }
  }

  def count(from: Long, until: Long): Long = {
    var elements = 0L
    var row = from
    while (row < until) {
      if ((counting.flags(row) & bit) == 0L) elements += 1
      row += 1
    }
    elements
  }
}
