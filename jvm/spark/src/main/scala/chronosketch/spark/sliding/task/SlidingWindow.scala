package chronosketch.spark.sliding.task

import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sliding.frames.{ColumnRoom, FrameColumns, FrameDriver, FrameMemory, KeptBytes}
import chronosketch.spark.sliding.rows.OrderedRows
import chronosketch.spark.sliding.structures.{SlidingStructure, StructureAnswers}

/** Slides the frames of a task's rows, a segment of consecutive rows at a time, partition after partition.
  *
  * A segment is a few times as long as the longest frames: all that its frames reach is in memory, and slides as a whole. Rows that no
  * later frame reaches are dropped. A partition with frames too large for that goes to disk, to [[SpilledFrames]].
  *
  * Memory  what the frames of a segment reach: 8 bytes a row for each column, 16 for each frame, and the answers
  */
final class SlidingWindow(spec: SlidingSpec, source: OrderedRows, memory: SlidingMemory) {
  private val isOfBytes = spec.rows.elementsOfBytes
  private val keepsBytes = isOfBytes.contains(true)
  private val kept = new KeptBytes(memory)
  private val columns = new FrameColumns(isOfBytes, kept)
  private val drivers = spec.frames.map(new FrameDriver(_, spec.rows.nullsFirst, columns)).toArray
  private val structures =
    spec.structures.map(s => new SlidingStructure(s, drivers(s.frame), columns)).toArray
  private val frameMemory = new FrameMemory(memory)
  private val room = new ColumnRoom(columns, drivers, spec.rowBytes, memory, frameMemory)
  private val spilled = new SpilledFrames(spec, source, columns, room, drivers, answers, frameMemory)

  private val fewestRows = if (keepsBytes) SlidingWindow.FewestRowsOfBytes else SlidingWindow.FewestRows
  private val framesASegment = if (keepsBytes) 1L else 4L
  private val mostRows = FrameColumns.MostRows /
    spec.structures.map(s => math.max(s.statistics.length, 1) * s.kind.words).max.max(1)

  // frames of so many rows are answered exactly by all structures
  private val limit = spec.structures.flatMap(_.beyond).map(_.exactRows).foldLeft(Long.MaxValue)(math.min)

  private var segment = 0L // the first row of the segment
  private var ready = 0 // how many rows it has
  private var target = fewestRows
  private var isSpilled = false

  /** How long sliding took. */
  var slideNanos = 0L

  def partitions: Long = columns.partitions

  /** The answers to the segment, of each structure. */
  def answers: Array[StructureAnswers] = structures.map(_.answers)

  /** Goes on to the next segment and returns how many rows it has: 0 after the last. */
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
    drop()
    if (!fill()) return 0
    if (ready > 0 && mayBeLarge) ready = structures.foldLeft(ready)((rows, s) => s.exactRows(segment, rows))
    if (ready == 0) {
      spilled.begin(segment)
      isSpilled = true
      room.shrink(SlidingWindow.FewestRows)
      ready = timed(spilled.advance())
    } else {
      ready = math.min(ready, mostRows)
      timed(structures.foreach(_.slide(segment, ready)))
      aim()
    }
    ready
  }

  private def timed[A](body: => A): A = {
    val started = System.nanoTime()
    val made = body
    slideNanos += System.nanoTime() - started
    made
  }

  /** Loads rows until some are settled, or it is clear that a frame is too large to wait for. Returns whether there are rows. */
  private def fill(): Boolean = {
    var wanted = target
    var isFull = false
    settle()
    while (!isFull && (ready == 0 || (ready < target / 2 && !source.isExhausted))) {
      if (source.isExhausted && columns.end == segment) return false
      if (ready == 0 && columns.end - segment > limit) isFull = true
      else {
        val before = segment - columns.first
        val more = math.min(before + wanted, FrameColumns.MostRows.toLong).toInt - columns.filled
        val rows = if (room.has(more)) more else math.min(more, SlidingWindow.FewestRows)
        if (columns.filled < FrameColumns.MostRows && room.has(rows)) {
          source.load(columns, rows)
          settle()
          wanted = math.min(wanted, FrameColumns.MostRows / 2) * 2
        } else if (ready == 0 && limit == Long.MaxValue) room.refuse(rows)
        else isFull = true
      }
    }
    true
  }

  private def settle(): Unit = {
    var least = Long.MaxValue
    var d = 0
    while (d < drivers.length) {
      drivers(d).settle(columns)
      least = math.min(least, drivers(d).settled)
      d += 1
    }
    ready = (least - segment).toInt
  }

  /** The first row that a frame of the segment, or of later rows, may reach. */
  private def needed: Long = drivers.foldLeft(segment)((row, d) => math.min(row, d.needed(segment)))

  /** Whether some frame of the segment may have more rows than are answered exactly. */
  private def mayBeLarge: Boolean = columns.end - needed > limit

  /** Makes the next segment a few times as long as the longest frame at the end of this one. */
  private def aim(): Unit = {
    val last = segment + ready - 1
    val longest = drivers.foldLeft(0L)((rows, d) => math.max(rows, d.until(last) - d.from(last)))
    target =
      math.min(math.max(framesASegment * longest, fewestRows.toLong), FrameColumns.MostRows.toLong).toInt
  }

  /** Drops the rows in front that no frame reaches, where they are many. */
  private def drop(): Unit = {
    columns.passPartitions(segment)
    drivers.foreach(_.pass(segment))
    val low = needed
    if (keepsBytes) columns.dropBytesBefore(low)
    if (low - columns.first >= columns.end - low) columns.dropBefore(low)
  }

  def peakBytes: Long = memory.peakBytes

  def close(): Unit = {
    kept.close()
    spilled.close()
    frameMemory.release()
    room.release()
  }
}

private object SlidingWindow {
  val FewestRows: Int = 1 << 15

  /** Where each row keeps a sketch: a segment is as long as the longest frame, not several times. */
  val FewestRowsOfBytes: Int = 1 << 7
}
