package chronosketch.spark.aggregate.operator

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import chronosketch.memory.Meter

/** Holds the aggregation buffers of Spark's own functions: one row of fixed width for each group, updated in place. */
final class BufferRows(initial: UnsafeRow, meter: Meter) {
  private val words = initial.getSizeInBytes / 8
  private val bits = BufferRows.bitsFor(words)
  private val mask = (1 << bits) - 1
  private var chunks = new Array[Array[Long]](4)
  private var chunkCount = 0
  private var count = 0
  private val current = new UnsafeRow(initial.numFields)

  /** Returns the buffer of a group, valid until the next call. A new group starts with the initial values of the functions. New groups
    * must come in order of their numbers.
    */
  def row(group: Int): UnsafeRow = {
    if (group == count) begin()
    current.pointTo(
      chunks(group >>> bits),
      Platform.LONG_ARRAY_OFFSET + 8L * words * (group & mask),
      8 * words
    )
    current
  }

  private def begin(): Unit = {
    if ((count & mask) == 0 && (count >>> bits) == chunkCount) {
      if (chunkCount == chunks.length) chunks = Arrays.copyOf(chunks, 2 * chunkCount)
      chunks(chunkCount) = new Array[Long](words << bits)
      chunkCount += 1
      meter.add(8L * (words << bits))
    }
    Platform.copyMemory(
      initial.getBaseObject,
      initial.getBaseOffset,
      chunks(count >>> bits),
      Platform.LONG_ARRAY_OFFSET + 8L * words * (count & mask),
      8L * words
    )
    count += 1
  }

  /** Removes all rows. Keeps the first chunk, because the next groups need it. */
  def clear(): Unit = {
    if (chunkCount > 1) {
      meter.add(-8L * (words << bits) * (chunkCount - 1))
      Arrays.fill(chunks.asInstanceOf[Array[AnyRef]], 1, chunkCount, null)
      chunkCount = 1
    }
    count = 0
  }
}

private object BufferRows {

  /** Rows per chunk, as a power of two: about 64 kB, at least one row. */
  def bitsFor(words: Int): Int = math.max(0, 31 - Integer.numberOfLeadingZeros(8192 / math.max(1, words)))
}
