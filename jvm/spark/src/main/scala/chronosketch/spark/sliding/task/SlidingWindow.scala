package chronosketch.spark.sliding.task

import org.apache.spark.TaskContext

import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sliding.frames.{ColumnRoom, FrameColumns, FrameDriver, FrameMemory, KeptBytes}
import chronosketch.spark.sliding.rows.OrderedRows
import chronosketch.spark.sliding.structures.SegmentAnswers
import chronosketch.spark.sql.SparkPrivates

/** Slides the frames of a task's rows, a segment of consecutive rows at a time, partition after partition.
  *
  * A segment is a few times as long as the longest frames. All rows of its frames are in memory and are processed together. Rows that
  * are in no later frame are dropped. If frames are too large for memory, [[SpilledWindow]] writes their partition to disk.
  *
  * Memory  for each row in the frames of a segment: 8 bytes a column, 16 bytes a frame, and the answers
  */
final class SlidingWindow(spec: SlidingSpec, source: OrderedRows, memory: SlidingMemory) {
  private val task = TaskContext.get()
  private val areBytes = spec.rows.areElementsBytes
  private val keepsBytes = areBytes.contains(true)
  private val keptBytes = new KeptBytes(memory)
  private val columns = new FrameColumns(areBytes, keptBytes)
  private val drivers = spec.frames.map(new FrameDriver(_, spec.rows.nullsFirst, columns)).toArray

  /** The answers of each slider for the segment. */
  val answers: Array[SegmentAnswers] =
    spec.sliders.map(s => new SegmentAnswers(s, drivers(s.frame), columns)).toArray

  private val frameMemory = new FrameMemory(memory)
  private val room = new ColumnRoom(columns, drivers, spec.rowBytes, memory, frameMemory)
  private val spilled = new SpilledWindow(spec, source, columns, room, drivers, answers, frameMemory)

  private val fewestRows = if (keepsBytes) SlidingWindow.FewestSketchRows else SlidingWindow.FewestRows
  private val framesPerSegment = if (keepsBytes) 1L else 4L
  private val mostRows = FrameColumns.MostRows /
    spec.sliders.map(s => math.max(s.statistics.length, 1) * s.structure.words).max.max(1)

  // frames of up to this many rows are answered exactly by all sliders
  private val limit =
    spec.sliders.flatMap(_.approximation).map(_.exactRows).foldLeft(Long.MaxValue)(math.min)

  private var segment = 0L // the first row of the segment
  private var ready = 0 // rows in the segment
  private var target = fewestRows
  private var isSpilled = false

  /** Time spent answering segments, in nanoseconds. */
  var slideNanos = 0L

  def partitions: Long = columns.partitions

  /** Moves to the next segment. Returns the number of its rows, 0 after the last segment. */
  def advance(): Int =
    frameMemory.within(columns.filled.toLong, room.bytes(columns.filled.toLong))(next())

  private def next(): Int = {
    if (isSpilled) {
      ready = timed(spilled.advance())
      if (ready > 0) return ready
      isSpilled = false
      segment = spilled.end
    }
    segment += ready
    ready = 0
    dropRows()
    if (!fill()) return 0
    if (ready > 0 && mayBeLarge) ready = answers.foldLeft(ready)((rows, a) => a.exactRows(segment, rows))
    if (ready == 0) {
      spilled.begin(segment)
      isSpilled = true
      room.shrink(SlidingWindow.FewestRows)
      ready = timed(spilled.advance())
    } else {
      ready = math.min(ready, mostRows)
      timed(answers.foreach { slider =>
        SparkPrivates.endIfKilled(task)
        slider.answer(segment, ready)
      })
      setTarget()
    }
    ready
  }

  private def timed[A](body: => A): A = {
    val started = System.nanoTime()
    val result = body
    slideNanos += System.nanoTime() - started
    result
  }

  /** Loads rows until the frames of some are resolved, or until a frame is clearly too large for memory. Returns whether there are rows. */
  private def fill(): Boolean = {
    var wanted = target
    var isFull = false
    ready = resolveFrames()
    while (!isFull && (ready == 0 || (ready < target / 2 && !source.isExhausted))) {
      SparkPrivates.endIfKilled(task)
      if (source.isExhausted && columns.end == segment) return false
      if (ready == 0 && columns.end - segment > limit) isFull = true
      else {
        val before = segment - columns.first
        val more = math.min(before + wanted, FrameColumns.MostRows.toLong).toInt - columns.filled
        val rows = if (room.tryReserve(more)) more else math.min(more, SlidingWindow.FewestRows)
        if (columns.filled < FrameColumns.MostRows && room.tryReserve(rows)) {
          source.load(columns, rows)
          ready = resolveFrames()
          wanted = math.min(wanted, FrameColumns.MostRows / 2) * 2
        } else if (ready == 0 && limit == Long.MaxValue) room.refuse(rows)
        else isFull = true
      }
    }
    true
  }

  /** Returns the number of rows from `segment` on whose frames are resolved. */
  private def resolveFrames(): Int = {
    var least = Long.MaxValue
    var d = 0
    while (d < drivers.length) {
      drivers(d).resolveFrames(columns)
      least = math.min(least, drivers(d).firstUnresolved)
      d += 1
    }
    (least - segment).toInt
  }

  /** The first row that a frame of the segment or of later rows may contain. */
  private def needed: Long = drivers.foldLeft(segment)((row, d) => math.min(row, d.needed(segment)))

  /** Whether a frame of the segment may have more rows than are answered exactly. */
  private def mayBeLarge: Boolean = columns.end - needed > limit

  /** Sets the length of the next segment: a few times the longest frame at the end of this one. */
  private def setTarget(): Unit = {
    val last = segment + ready - 1
    val longest = drivers.foldLeft(0L)((rows, d) => math.max(rows, d.until(last) - d.from(last)))
    target =
      math.min(math.max(framesPerSegment * longest, fewestRows.toLong), FrameColumns.MostRows.toLong).toInt
  }

  /** Drops the rows before all frames, if they are at least half of all rows: copying the rest then costs O(1) a dropped row. */
  private def dropRows(): Unit = {
    columns.dropPartitionsBefore(segment)
    drivers.foreach(_.dropBefore(segment))
    val low = needed
    if (keepsBytes) columns.dropBytesBefore(low)
    if (low - columns.first >= columns.end - low) columns.dropBefore(low)
  }

  def peakBytes: Long = memory.peakBytes

  def close(): Unit = {
    keptBytes.close()
    spilled.close()
    frameMemory.release()
    room.release()
  }
}

private object SlidingWindow {
  val FewestRows: Int = 1 << 15

  /** The shortest segment if rows keep sketches. Such segments are only as long as the longest frame, not several times as long. */
  val FewestSketchRows: Int = 1 << 7
}
