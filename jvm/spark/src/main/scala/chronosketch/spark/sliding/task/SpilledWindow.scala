package chronosketch.spark.sliding.task

import chronosketch.spark.sliding.frames.{ColumnRoom, FrameColumns, FrameDriver, FrameMemory, SpilledColumns}
import chronosketch.spark.sliding.rows.OrderedRows
import chronosketch.spark.sliding.structures.{LargeFrameMetrics, SegmentAnswers, SpilledAnswers}

/** Slides frames that are too large for memory. Writes the rows of their partition to disk and answers them a segment at a time.
  *
  * Memory  the summaries, a few pages of rows, and the elements of frames that are answered exactly
  */
private final class SpilledWindow(
    spec: SlidingSpec,
    source: OrderedRows,
    columns: FrameColumns,
    room: ColumnRoom,
    drivers: Array[FrameDriver],
    answers: Array[SegmentAnswers],
    memory: FrameMemory
) {
  private val rows = new SpilledColumns(spec.rows.elements.length, spec.metrics("spillSize").add(_))
  private val metrics = LargeFrameMetrics(
    spec.metrics("certifiedRows"),
    spec.metrics("largeFrameTime"),
    spec.metrics("largeFrameBytes")
  )
  private val spilledAnswers = spec.sliders.zip(answers).map { case (slider, segmentAnswers) =>
    new SpilledAnswers(slider, drivers(slider.frame), rows, segmentAnswers, memory, metrics)
  }.toArray

  private var partition = 0L
  private var isWhole = false
  private var row = 0L // the first row of the segment
  private var ready = 0
  private var target = SpilledColumns.PageRows

  /** The row after the last answered row. */
  def end: Long = row

  /** Takes over a partition from this row on, including the earlier rows in its frames. */
  def begin(segment: Long): Unit = {
    row = segment
    ready = 0
    partition = columns.partitionOf(segment)
    target = SpilledColumns.PageRows
    rows.begin(needed)
    drivers.foreach(_.restart(rows, segment, partition, isFirst = false))
    spilledAnswers.foreach(_.reset())
    spill()
  }

  /** Moves the rows of the partition that are in memory to disk. */
  private def spill(): Unit = {
    isWhole = partition < columns.partitions
    val end = if (isWhole) columns.endOf(partition) else columns.end
    rows.append(columns, end)
    columns.dropBefore(end)
  }

  /** Moves to the next segment. Returns the number of its rows, 0 after the last segment of the partition. */
  def advance(): Int = {
    row += ready
    drivers.foreach(_.dropBefore(row))
    rows.forget(needed)
    ready = resolveFrames()
    while (ready < target && !isWhole) {
      room.reserve(SpilledColumns.PageRows)
      source.load(columns, SpilledColumns.PageRows)
      spill()
      ready = resolveFrames()
    }
    if (ready == 0) {
      close()
      drivers.foreach(_.restart(columns, row, partition + 1, isFirst = true))
    } else {
      val longest = spilledAnswers.map(_.answer(row, ready)).max
      val most = FrameColumns.MostRows.toLong
      target = math.max(SpilledColumns.PageRows.toLong, math.min(4 * longest, most)).toInt
    }
    ready
  }

  private def needed: Long = drivers.foldLeft(row)((first, d) => math.min(first, d.needed(row)))

  private def resolveFrames(): Int = drivers.foldLeft(target) { (least, d) =>
    d.resolveFrames(rows.end, isWhole, target)
    math.min(least.toLong, d.firstUnresolved - row).toInt
  }

  def close(): Unit = {
    spilledAnswers.foreach(_.reset())
    rows.clear()
  }
}
