package chronosketch.spark.sliding.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.spark.sliding.frames.FrameColumns

/** Provides rows with room for their answers, ordered by partition and ORDER BY. Their columns are loaded first; the rows themselves
  * are returned later, when their answers are known.
  */
trait OrderedRows {

  /** Appends the columns of the next n rows, or of all that are left if they are fewer. There must be room for them. */
  def load(columns: FrameColumns, rows: Int): Unit

  /** Whether the columns of all rows have been appended. */
  def isExhausted: Boolean

  /** Returns the next row. It is valid until the next call. */
  def next(): UnsafeRow

  /** The most memory that rows have used at once. */
  def peakBytes: Long

  def close(): Unit
}
