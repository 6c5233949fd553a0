package chronosketch.spark.sliding.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{RowOrdering, UnsafeProjection, UnsafeRow}

import chronosketch.spark.sliding.frames.FrameColumns

/** Reads rows that are already sorted, by the operator below or by Spark's sorter. */
final class StreamedRows(
    spec: RowSpec,
    partition: Int,
    rows: Iterator[UnsafeRow],
    queue: RowQueue
) extends OrderedRows {
  private val columnsOf = UnsafeProjection.create(spec.columns)
  private val keysOf = UnsafeProjection.create(spec.partitionKeys)
  columnsOf.initialize(partition)
  private val isPartitioned = spec.partitionKeys.nonEmpty
  private val elementsFrom = spec.orderKey.size
  private val elements = spec.elements.length
  private val isOfBytes = spec.elementsOfBytes
  private var current: UnsafeRow = null // the keys of the partition
  private var exhausted = false

  private val comparesPeers = spec.comparesPeers
  private val peers: Ordering[InternalRow] =
    if (comparesPeers) RowOrdering.create(spec.order, Nil) else null
  private val previous = UnsafeRow.createFromByteArray(0, spec.wide.length)
  private var place = 0L // counts the groups of peers; used as the order key

  def isExhausted: Boolean = exhausted

  def load(columns: FrameColumns, count: Int): Unit = {
    var left = count
    while (left > 0 && rows.hasNext) {
      add(rows.next(), columns)
      left -= 1
    }
    if (left > 0 && !exhausted) {
      exhausted = true
      if (current != null) columns.endPartition()
    }
  }

  private def add(row: UnsafeRow, columns: FrameColumns): Unit = {
    if (current == null) current = keysOf(row).copy()
    else if (isPartitioned) {
      val keys = keysOf(row)
      if (keys != current) {
        columns.endPartition()
        current = keys.copy()
      }
    }
    val at = columns.filled
    val own = columnsOf(row)
    var flags = 0L
    if (elementsFrom > 0) {
      columns.order(at) = own.getLong(0)
      if (own.isNullAt(0)) flags = 1L
    } else {
      if (comparesPeers) {
        if (place == 0 || peers.compare(previous, row) != 0) place += 1
        previous.copyFrom(row)
      }
      columns.order(at) = place
    }
    var e = 0
    while (e < elements) {
      if (own.isNullAt(elementsFrom + e)) flags |= 2L << e
      else
        columns.values(e)(at) =
          if (isOfBytes(e)) columns.bytes.add(own.getBinary(elementsFrom + e))
          else own.getLong(elementsFrom + e)
      e += 1
    }
    columns.flags(at) = flags
    columns.append(1)
    queue.add(row)
  }

  def next(): UnsafeRow = queue.next()

  def peakBytes: Long = queue.peakBytes

  def close(): Unit = queue.close()
}
