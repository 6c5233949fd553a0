package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows with room for their answers, in the order of their groups and of ORDER BY: what is kept of them goes ahead into a window,
  * they follow when they have their answers.
  */
trait OrderedRows {

  /** Puts so many rows more into the window, fewer where there are no more. */
  def load(window: SlidingWindow, rows: Int): Unit

  /** Whether all rows have been put into the window. */
  def isExhausted: Boolean

  /** The next row, until the one after it is asked for. */
  def next(): UnsafeRow

  /** The most memory that rows have had at once. */
  def peakBytes: Long

  def close(): Unit
}
