package chronosketch.spark.hopping.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.{Encoders, Row}

import chronosketch.spark.hopping.panes.{NumberedFrames, PaneMerge, WindowFrames}
import chronosketch.spark.state.{DescribesState, StateLayout}

/** What do the windows of a stream's keys hold, where only their panes are kept?
  *
  * Guarantee  a row changes exactly those of its windows that are open when it arrives. A window is open until the watermark of the batch
  *            before passes its end, as in Spark's own aggregation by window
  * Cost       a batch reads and writes each pane that it has rows for, once. It reads all panes of a key once more when windows of that
  *            key go out: when the watermark passes their ends or, in update mode, when they have changed
  * Memory     in state, one row a pane and two for the timer of a key; in the task, the panes of one key at a time
  *
  * @param lateBefore the watermark, in milliseconds, that Spark drops late rows by; [[LateWatermark]] sets it
  */
private[stream] final class PanesProcessor(val spec: PanesSpec, lateBefore: Option[Long])
    extends StatefulProcessor[Row, InternalRow, InternalRow]
    with DescribesState {
  import spec.assigner

  @transient private var panes: MapState[Long, Array[Byte]] = _
  @transient private var isUpdate = false

  @transient private lazy val keyRow = ExpressionEncoder(spec.keySchema).createSerializer()
  @transient private lazy val ofPanes = new PaneMerge(spec.ofPane)
  @transient private lazy val ofWindows = new PaneMerge(spec.ofWindow)

  def at(watermark: Option[Long]): PanesProcessor = new PanesProcessor(spec, watermark)

  override def layout: StateLayout = spec.layout

  override def toString: String =
    s"panes of ${assigner.pane} µs, ${assigner.panes} a window, a window every ${assigner.slide} µs"

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = {
    isUpdate = outputMode == OutputMode.Update()
    panes = getHandle.getMapState(
      "panes",
      Encoders.scalaLong,
      Encoders.BINARY,
      TTLConfig.NONE
    )
  }

  override def handleInputRows(
      key: Row,
      rows: Iterator[InternalRow],
      timers: TimerValues
  ): Iterator[InternalRow] = {
    val touched = merge(rows.map(row => (row.getLong(0), row.getStruct(1, spec.parts.length).copy())).toArray)
    if (spec.hasWatermark) wake(dueFor(touched.head, firstOpen))
    if (isUpdate) windows(key, stored(), touched) else Iterator.empty
  }

  /** Puts out the windows that have closed, and sets the timer for those that are left. */
  override def handleExpiredTimer(
      key: Row,
      timers: TimerValues,
      expired: ExpiredTimerInfo
  ): Iterator[InternalRow] = {
    val open = assigner.firstEndingAfter(timers.getCurrentWatermarkInMs() * 1000)
    val kept = stored()
    val (closed, waiting) = kept.partition { case (pane, _) => assigner.lastWith(pane) < open }
    closed.foreach { case (pane, _) => panes.removeKey(pane) }
    if (waiting.nonEmpty) getHandle.registerTimer(dueFor(waiting.head._1, open))
    if (isUpdate) Iterator.empty
    else {
      val due = assigner.firstEndingAfter((expired.getExpiryTimeInMs() - 1) * 1000)
      windows(key, kept, Iterator.single((due, open - 1)))
    }
  }

  /** Merges what has arrived into the panes that are kept; returns the numbers of these panes, in order. */
  private def merge(arrived: Array[(Long, InternalRow)]): Seq[Long] = {
    val sorted = arrived.sortBy(_._1)
    val rows = new ArrayBuffer[InternalRow]
    val frames = new NumberedFrames
    var i = 0
    while (i < sorted.length) {
      val pane = sorted(i)._1
      val first = rows.length
      val before = panes.getValue(pane)
      if (before != null) rows += row(before)
      while (i < sorted.length && sorted(i)._1 == pane) { rows += sorted(i)._2; i += 1 }
      frames.add(pane, first, rows.length)
    }
    // each row is an element of its own: a pane has no other frame to share a union with
    ofPanes.begin(rows, _.toLong, frames)
    val numbers = Seq.tabulate(frames.size)(frames(_))
    numbers.foreach(pane => panes.updateValue(pane, ofPanes.next().getBytes))
    numbers
  }

  private def row(bytes: Array[Byte]): InternalRow = {
    val row = new UnsafeRow(spec.parts.length)
    row.pointTo(bytes, bytes.length)
    row
  }

  /** The panes of the key, in order. */
  private def stored(): Array[(Long, InternalRow)] =
    panes.iterator().map { case (pane, bytes) => (pane, row(bytes)) }.toArray.sortBy(_._1)

  /** When the key is due again because of a pane, in milliseconds. */
  private def dueFor(pane: Long, open: Long): Long = {
    val window = if (isUpdate) assigner.lastWith(pane) else math.max(assigner.firstWith(pane), open)
    Math.floorDiv(assigner.end(window) + 999, 1000L)
  }

  /** Keeps one timer a key, the earliest. */
  private def wake(at: Long): Unit = {
    // reads the iterator to its end: the store keeps one that is left open until the batch is over
    val set = getHandle.listTimers().toList.minOption
    if (set.forall(_ > at)) {
      set.foreach(getHandle.deleteTimer)
      getHandle.registerTimer(at)
    }
  }

  /** The first window that is open. */
  private def firstOpen: Long =
    if (spec.hasWatermark) assigner.firstEndingAfter(lateBefore.get * 1000) else Long.MinValue

  /** The open windows that have one of the touched panes. */
  private def windows(
      key: Row,
      kept: Array[(Long, InternalRow)],
      touched: Seq[Long]
  ): Iterator[InternalRow] =
    windows(
      key,
      kept,
      touched.iterator.map(p => (math.max(assigner.firstWith(p), firstOpen), assigner.lastWith(p)))
    )

  /** The windows of some stretches, each from its first to its last window, that have panes. Neither end of a stretch is before that of
    * the stretch before.
    */
  private def windows(
      key: Row,
      kept: Array[(Long, InternalRow)],
      stretches: Iterator[(Long, Long)]
  ): Iterator[InternalRow] = {
    val frames = new WindowFrames(assigner, i => kept(i)._1)
    stretches.foreach { case (first, last) =>
      frames.find(first, last, kept.length, isWhole = true, room = Int.MaxValue)
    }
    val of = frames.windows
    ofWindows.begin(ArrayBuffer.from(kept.map(_._2)), i => kept(i)._1, of)
    ofWindows.supply(keyRow(key).copy())
    Iterator.range(0, of.size).map { i =>
      ofWindows.supply(spec.keys.length, assigner.start(of(i)))
      ofWindows.supply(spec.keys.length + 1, assigner.end(of(i)))
      ofWindows.next()
    }
  }
}
