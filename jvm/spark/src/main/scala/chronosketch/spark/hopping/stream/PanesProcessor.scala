package chronosketch.spark.hopping.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeRow}
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.{Encoders, Row}

import chronosketch.spark.hopping.panes.NumberedFrames

/** What do the windows of a stream's keys hold, where only their panes are kept?
  *
  * Guarantee  a row changes all of its windows that are still open when it comes, and no other: those whose end the watermark of the
  *            batch before has not passed, as an aggregation of Spark's by window has it
  * Cost       a batch reads and writes each pane once that it has rows of, and reads a key's panes once more where windows of it go out:
  *            when the watermark passes their ends, or, in update mode, when they have changed
  * Memory     state of one row a pane and two for the timer of a key; the panes of one key at a time
  *
  * @param lateBefore the watermark, milliseconds, that Spark drops late rows by: [[LateWatermark]] tells
  */
private[stream] final class PanesProcessor(spec: PanesSpec, lateBefore: Option[Long])
    extends StatefulProcessor[Row, InternalRow, InternalRow] {
  import spec.hop

  @transient private var panes: MapState[Long, Array[Byte]] = _
  @transient private var isUpdate = false

  @transient private lazy val keyRow = ExpressionEncoder(spec.keySchema).createSerializer()
  @transient private lazy val ofPanes = new MergedParts(spec.merges, spec.parts, Nil, spec.asPart)
  @transient private lazy val ofWindows =
    new MergedParts(spec.merges, spec.parts, spec.keys ++ spec.bounds, (merged, _) => merged)

  def at(watermark: Option[Long]): PanesProcessor = new PanesProcessor(spec, watermark)

  override def toString: String =
    s"panes of ${hop.pane} µs, ${hop.panes} a window, a window every ${hop.slide} µs"

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

  /** Windows whose end has passed, and what is left to wait for. */
  override def handleExpiredTimer(
      key: Row,
      timers: TimerValues,
      expired: ExpiredTimerInfo
  ): Iterator[InternalRow] = {
    val open = hop.firstEndingAfter(timers.getCurrentWatermarkInMs() * 1000)
    val kept = stored()
    val (closed, waiting) = kept.partition { case (pane, _) => hop.lastWith(pane) < open }
    closed.foreach { case (pane, _) => panes.removeKey(pane) }
    if (waiting.nonEmpty) getHandle.registerTimer(dueFor(waiting.head._1, open))
    if (isUpdate) Iterator.empty
    else {
      val due = hop.firstEndingAfter((expired.getExpiryTimeInMs() - 1) * 1000)
      windows(key, kept, Iterator.single((due, open - 1)))
    }
  }

  /** Puts what has come to what is kept; the panes' numbers, in their order. */
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
    ofPanes.begin(rows, frames)
    val numbers = Seq.tabulate(frames.size)(frames(_))
    numbers.foreach(pane => panes.updateValue(pane, ofPanes.next(InternalRow.empty).getBytes))
    numbers
  }

  private def row(bytes: Array[Byte]): InternalRow = {
    val row = new UnsafeRow(spec.parts.length)
    row.pointTo(bytes, bytes.length)
    row
  }

  /** The key's panes in their order. */
  private def stored(): Array[(Long, InternalRow)] =
    panes.iterator().map { case (pane, bytes) => (pane, row(bytes)) }.toArray.sortBy(_._1)

  /** When the key has to be looked at again, for a pane: milliseconds. */
  private def dueFor(pane: Long, open: Long): Long = {
    val window = if (isUpdate) hop.lastWith(pane) else math.max(hop.firstWith(pane), open)
    Math.floorDiv(hop.end(window) + 999, 1000L)
  }

  /** One timer a key, the earliest. */
  private def wake(at: Long): Unit = {
    // to its end: an iterator of the store that is left open stays until the batch is over
    val set = getHandle.listTimers().toList.minOption
    if (set.forall(_ > at)) {
      set.foreach(getHandle.deleteTimer)
      getHandle.registerTimer(at)
    }
  }

  /** The first window that rows may still change. */
  private def firstOpen: Long =
    if (spec.hasWatermark) hop.firstEndingAfter(lateBefore.get * 1000) else Long.MinValue

  /** The open windows of some panes. */
  private def windows(
      key: Row,
      kept: Array[(Long, InternalRow)],
      touched: Seq[Long]
  ): Iterator[InternalRow] =
    windows(key, kept, touched.iterator.map(p => (math.max(hop.firstWith(p), firstOpen), hop.lastWith(p))))

  /** The windows of some stretches, first to last, of which neither goes back, as far as they have panes. */
  private def windows(
      key: Row,
      kept: Array[(Long, InternalRow)],
      stretches: Iterator[(Long, Long)]
  ): Iterator[InternalRow] = {
    val frames = new WindowFrames(hop, kept.map(_._1))
    stretches.foreach { case (first, last) => frames.add(first, last) }
    val of = frames.windows
    ofWindows.begin(ArrayBuffer.from(kept.map(_._2)), of)
    val keys = keyRow(key).copy()
    val bounds = new GenericInternalRow(2)
    val columns = new JoinedRow(keys, bounds)
    Iterator.range(0, of.size).map { i =>
      bounds.update(0, hop.start(of(i)))
      bounds.update(1, hop.end(of(i)))
      ofWindows.next(columns)
    }
  }
}
