package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{RowOrdering, UnsafeProjection, UnsafeRow}

/** Rows that come in order: from below, or from Spark's sorter. */
final class StreamedRows(
    spec: SlidingSpec,
    partition: Int,
    rows: Iterator[UnsafeRow],
    queue: RowQueue
) extends OrderedRows {
  private val columns = UnsafeProjection.create(spec.columns)
  private val group = UnsafeProjection.create(spec.groupKeys)
  columns.initialize(partition)
  private val isGrouped = spec.groupKeys.nonEmpty
  private val elementsFrom = spec.orderKey.size
  private val elements = spec.elements.length
  private val isOfBytes = spec.elementsOfBytes
  private var current: UnsafeRow = null // the group's keys
  private var exhausted = false

  private val comparesPeers = spec.comparesPeers
  private val peers: Ordering[InternalRow] =
    if (comparesPeers) RowOrdering.create(spec.order, Nil) else null
  private val previous = UnsafeRow.createFromByteArray(0, spec.wide.length)
  private var place = 0L // of the row among those that ORDER BY tells apart

  def isExhausted: Boolean = exhausted

  def load(window: SlidingWindow, count: Int): Unit = {
    window.reserve(count)
    var left = count
    while (left > 0 && rows.hasNext) {
      add(rows.next(), window)
      left -= 1
    }
    if (left > 0 && !exhausted) {
      exhausted = true
      if (current != null) window.endGroup()
    }
  }

  private def add(row: UnsafeRow, window: SlidingWindow): Unit = {
    if (current == null) current = group(row).copy()
    else if (isGrouped) {
      val keys = group(row)
      if (keys != current) {
        window.endGroup()
        current = keys.copy()
      }
    }
    val at = window.filled
    val columnKeys = columns(row)
    var flags = 0L
    if (elementsFrom > 0) {
      window.order(at) = columnKeys.getLong(0)
      if (columnKeys.isNullAt(0)) flags = 1L
    } else {
      if (comparesPeers) {
        if (place == 0 || peers.compare(previous, row) != 0) place += 1
        previous.copyFrom(row)
      }
      window.order(at) = place
    }
    var e = 0
    while (e < elements) {
      if (columnKeys.isNullAt(elementsFrom + e)) flags |= 2L << e
      else
        window.values(e)(at) =
          if (isOfBytes(e)) window.keep(columnKeys.getBinary(elementsFrom + e))
          else columnKeys.getLong(elementsFrom + e)
      e += 1
    }
    window.flags(at) = flags
    window.filled = at + 1
    queue.add(row)
  }

  def next(): UnsafeRow = queue.next()

  def peakBytes: Long = queue.peakBytes

  def close(): Unit = queue.close()
}
