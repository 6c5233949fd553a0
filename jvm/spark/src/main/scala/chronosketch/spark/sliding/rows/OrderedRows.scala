package chronosketch.spark.sliding.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.spark.sliding.frames.FrameColumns

/** Rows with room for their answers, in the order of their partitions and of ORDER BY. Their columns go ahead; the rows follow when
  * they have their answers.
  */
trait OrderedRows {

  /** Appends the columns of so many rows more, of fewer where there are no more. There must be room for them. */
  def load(columns: FrameColumns, rows: Int): Unit

  /** Whether the columns of all rows have been appended. */
  def isExhausted: Boolean

  /** The next row, until the one after it is asked for. */
  def next(): UnsafeRow

  /** The most memory that rows have had at once. */
  def peakBytes: Long

  def close(): Unit
}
