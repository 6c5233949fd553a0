package chronosketch.spark.sliding.task

import chronosketch.spark.sliding.frames.{ColumnRoom, FrameColumns, FrameDriver, FrameMemory, SpilledColumns}
import chronosketch.spark.sliding.rows.OrderedRows
import chronosketch.spark.sliding.structures.{LargeFrameMetrics, SpilledStructure, StructureAnswers}

/** Slides frames of one partition that are too large for memory: its rows go to disk, and are answered a segment at a time.
  *
  * Memory  what summaries keep, a few pages of rows, and the elements of the frames that are answered exactly
  */
private final class SpilledFrames(
    spec: SlidingSpec,
    source: OrderedRows,
    columns: FrameColumns,
    room: ColumnRoom,
    drivers: Array[FrameDriver],
    answers: Array[StructureAnswers],
    memory: FrameMemory
) {
  private val rows = new SpilledColumns(spec.rows.elements.length, spec.metrics("spillSize").add(_))
  private val metrics = LargeFrameMetrics(
    spec.metrics("certifiedRows"),
    spec.metrics("largeFrameTime"),
    spec.metrics("largeFrameBytes")
  )
  private val structures = spec.structures.zip(answers).map { case (structure, known) =>
    new SpilledStructure(structure, drivers(structure.frame), rows, known, memory, metrics)
  }.toArray

  private var partition = 0L
  private var isWhole = false
  private var row = 0L // the first row of the segment
  private var ready = 0
  private var target = SpilledColumns.PageRows

  /** The row after the last that has been answered. */
  def end: Long = row

  /** Takes the partition of a row, from that row on, and all rows that its frames reach. */
  def begin(segment: Long): Unit = {
    row = segment
    ready = 0
    partition = columns.partitionOf(segment)
    target = SpilledColumns.PageRows
    rows.begin(needed)
    drivers.foreach(_.restart(rows, segment, partition, isFirst = false))
    structures.foreach(_.reset())
    take()
  }

  /** Moves the rows of the partition that are in memory to disk. */
  private def take(): Unit = {
    isWhole = partition < columns.partitions
    val end = if (isWhole) columns.endOf(partition) else columns.end
    rows.append(columns, end)
    columns.dropBefore(end)
  }

  /** Goes on to the next segment and returns how many rows it has: 0 after the last of the partition. */
  def advance(): Int = {
    row += ready
    drivers.foreach(_.pass(row))
    rows.forget(needed)
    ready = settle()
    while (ready < target && !isWhole) {
      room.reserve(SpilledColumns.PageRows)
      source.load(columns, SpilledColumns.PageRows)
      take()
      ready = settle()
    }
    if (ready == 0) {
      close()
      drivers.foreach(_.restart(columns, row, partition + 1, isFirst = true))
    } else {
      structures.foreach(_.answer(row, ready))
      val longest = structures.map(_.longest).max
      val most = FrameColumns.MostRows.toLong
      target = math.max(SpilledColumns.PageRows.toLong, math.min(4 * longest, most)).toInt
    }
    ready
  }

  private def needed: Long = drivers.foldLeft(row)((first, d) => math.min(first, d.needed(row)))

  private def settle(): Int = drivers.foldLeft(target) { (least, d) =>
    d.settle(rows.end, isWhole, target)
    math.min(least.toLong, d.settled - row).toInt
  }

  def close(): Unit = {
    structures.foreach(_.reset())
    rows.clear()
  }
}
