package chronosketch.spark.hopping.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Cast,
  Expression,
  NamedExpression,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.{Encoders, Row}

import chronosketch.spark.hopping.panes.{MergeSpec, NumberedFrames, PaneMerge, WindowAssigner, WindowFrames}
import chronosketch.spark.state.{DescribesState, StateLayout}

/** Merges the windows of a stream from panes, which are kept in state for each key.
  *
  * Guarantee  a row changes exactly those of its windows that are open when it arrives. A window is open until the watermark of the
  *            previous batch passes its end, as in Spark's own aggregation by window
  * Cost       a batch reads and writes each pane that it has rows for, once. It reads all panes of a key once more when windows of the
  *            key are returned: when the watermark passes their ends or, in update mode, when they have changed
  * Memory     in state, one row for each pane and two for the timer of each key; in the task, the panes of one key at a time
  *
  * @param lateBefore the watermark in milliseconds by which Spark drops late rows; set by [[LateWatermark]]
  */
private[stream] final class PanesProcessor(val spec: PanesSpec, lateBefore: Option[Long])
    extends StatefulProcessor[Row, InternalRow, InternalRow]
    with DescribesState {
  import spec.assigner

  @transient private var panes: MapState[Long, Array[Byte]] = _
  @transient private var isUpdate = false

  @transient private lazy val keyRow = ExpressionEncoder(spec.keySchema).createSerializer()
  @transient private lazy val paneMerge = new PaneMerge(spec.paneMerge)
  @transient private lazy val windowMerge = new PaneMerge(spec.windowMerge)

  def withWatermark(watermark: Option[Long]): PanesProcessor = new PanesProcessor(spec, watermark)

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
    if (spec.hasWatermark) setTimer(dueFor(touched.head, firstOpen))
    if (isUpdate) windows(key, stored(), touched) else Iterator.empty
  }

  /** Returns the windows that have closed, and sets the timer for the others. */
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

  /** Merges the rows of a batch into the stored panes. Returns the numbers of these panes, in order. */
  private def merge(arrived: Array[(Long, InternalRow)]): Seq[Long] = {
    val sorted = arrived.sortBy(_._1)
    val rows = new ArrayBuffer[InternalRow]
    val frames = new NumberedFrames
    var i = 0
    while (i < sorted.length) {
      val pane = sorted(i)._1
      val first = rows.length
      val old = panes.getValue(pane)
      if (old != null) rows += row(old)
      while (i < sorted.length && sorted(i)._1 == pane) { rows += sorted(i)._2; i += 1 }
      frames.add(pane, first, rows.length)
    }
    // each row gets its own number: a pane is one frame, so that no union of rows can be shared
    paneMerge.begin(rows, _.toLong, frames)
    val numbers = Seq.tabulate(frames.size)(frames(_))
    numbers.foreach(pane => panes.updateValue(pane, paneMerge.next().getBytes))
    numbers
  }

  private def row(bytes: Array[Byte]): InternalRow = {
    val row = new UnsafeRow(spec.parts.length)
    row.pointTo(bytes, bytes.length)
    row
  }

  /** The stored panes of the current key, in order. */
  private def stored(): Array[(Long, InternalRow)] =
    panes.iterator().map { case (pane, bytes) => (pane, row(bytes)) }.toArray.sortBy(_._1)

  /** The time in milliseconds at which the key must be processed again because of a pane. */
  private def dueFor(pane: Long, open: Long): Long = {
    val window = if (isUpdate) assigner.lastWith(pane) else math.max(assigner.firstWith(pane), open)
    Math.floorDiv(assigner.end(window) + 999, 1000L)
  }

  /** Sets the key's timer, unless an earlier one is set. A key has one timer. */
  private def setTimer(at: Long): Unit = {
    // reads the iterator to its end, because the store keeps an open iterator until the end of the batch
    val set = getHandle.listTimers().toList.minOption
    if (set.forall(_ > at)) {
      set.foreach(getHandle.deleteTimer)
      getHandle.registerTimer(at)
    }
  }

  /** The first open window. */
  private def firstOpen: Long =
    if (spec.hasWatermark) assigner.firstEndingAfter(lateBefore.get * 1000) else Long.MinValue

  /** The open windows that have a touched pane. */
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

  /** The windows with panes in some intervals of windows, each given by its first and last window. Both ends must be in ascending
    * order.
    */
  private def windows(
      key: Row,
      kept: Array[(Long, InternalRow)],
      intervals: Iterator[(Long, Long)]
  ): Iterator[InternalRow] = {
    val frames = new WindowFrames(assigner, i => kept(i)._1)
    intervals.foreach { case (first, last) =>
      frames.find(first, last, kept.length, isWhole = true, room = Int.MaxValue)
    }
    val found = frames.windows
    windowMerge.begin(ArrayBuffer.from(kept.map(_._2)), i => kept(i)._1, found)
    windowMerge.supply(keyRow(key).copy())
    Iterator.range(0, found.size).map { i =>
      windowMerge.supply(spec.keys.length, assigner.start(found(i)))
      windowMerge.supply(spec.keys.length + 1, assigner.end(found(i)))
      windowMerge.next()
    }
  }
}

/** The part of the plan that a task needs to merge a stream's windows.
  *
  * @param keys         the keys of windows; a stream without keys has one that is the same for all rows
  * @param bounds       the start and the end of a window
  * @param parts        the columns of a pane
  * @param merges       for each part, the aggregate function that merges it
  * @param merged       the result of each function
  * @param answers      a window's output row, computed from its keys, its bounds and the merged parts
  * @param hasWatermark whether windows close
  * @param layout       everything that the stored panes depend on
  */
private[stream] final case class PanesSpec(
    keys: Seq[Attribute],
    assigner: WindowAssigner,
    bounds: Seq[Attribute],
    parts: Seq[Attribute],
    merges: Seq[Expression],
    merged: Seq[Attribute],
    answers: Seq[NamedExpression],
    hasWatermark: Boolean,
    layout: StateLayout
) {
  def keySchema: StructType = StructType(keys.map(k => StructField(k.name, k.dataType)))

  /** A new column for a window's output row. */
  def row: AttributeReference =
    AttributeReference(
      "window",
      StructType(answers.map(a => StructField(a.name, a.dataType))),
      nullable = false
    )()

  /** Merges the rows of a pane into one. */
  def paneMerge: MergeSpec = MergeSpec(
    parts,
    Nil,
    merges,
    merged,
    merged.zip(parts).map { case (m, part) =>
      // a sum of sums has more digits than a pane's sum
      if (m.dataType == part.dataType) m else Cast(m, part.dataType)
    }
  )

  /** Merges the panes of a window. */
  def windowMerge: MergeSpec = MergeSpec(parts, keys ++ bounds, merges, merged, answers)
}

/** Gives our processors the watermark by which Spark drops late rows. A processor needs it, because a late row may only change windows
  * that end after this watermark. Spark does not pass it to processors.
  *
  * It is a columnar rule because only such rules see the plan of a batch after Spark has filled in the watermarks.
  */
object LateWatermark extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] = withWatermark(_)

  private def withWatermark(plan: SparkPlan): SparkPlan = plan.transformUp {
    case node if node.productIterator.exists(_.isInstanceOf[PanesProcessor]) =>
      // the node's class is in another package on 4.0
      val watermark =
        node.getClass.getMethod("eventTimeWatermarkForLateEvents").invoke(node).asInstanceOf[Option[Long]]
      node.makeCopy(node.productIterator.map {
        case processor: PanesProcessor => processor.withWatermark(watermark)
        case other => other.asInstanceOf[AnyRef]
      }.toArray)
  }
}
