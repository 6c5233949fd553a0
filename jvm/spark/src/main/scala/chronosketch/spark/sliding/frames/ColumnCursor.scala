package chronosketch.spark.sliding.frames

/** Where the columns of rows can be read: a page of consecutive rows at a time. */
trait ColumnSource {

  /** Shows a cursor the page that a row is on. */
  def show(row: Long, cursor: ColumnCursor): Unit
}

/** Reads the columns of rows one after the other, whether they are in memory or on disk.
  *
  * Cost  two comparisons a row; the source is asked where a page ends
  */
final class ColumnCursor(source: ColumnSource) {
  private var keys, bits: Array[Long] = null
  private var columns: Array[Array[Long]] = null
  private var first, until = 0L
  private var isGrowing = false

  /** Columns of the cursor's own, for a source that reads pages from disk. */
  private[frames] var room: Array[Array[Long]] = null

  /** The order key of a row. */
  def order(row: Long): Long = {
    if (row < first || row >= until) source.show(row, this)
    keys((row - first).toInt)
  }

  /** The flags of a row. */
  def flags(row: Long): Long = {
    if (row < first || row >= until) source.show(row, this)
    bits((row - first).toInt)
  }

  /** A value of a row. */
  def value(row: Long, element: Int): Long = {
    if (row < first || row >= until) source.show(row, this)
    columns(element)((row - first).toInt)
  }

  /** Whether the order key of a row is NULL. */
  def isNull(row: Long): Boolean = (flags(row) & 1L) != 0L

  /** From now on the rows from `first` until `until` are read from these columns.
    *
    * @param isGrowing whether rows may be added to the page, or dropped from it
    */
  private[frames] def show(
      order: Array[Long],
      flags: Array[Long],
      values: Array[Array[Long]],
      first: Long,
      until: Long,
      isGrowing: Boolean
  ): Unit = {
    keys = order
    bits = flags
    columns = values
    this.first = first
    this.until = until
    this.isGrowing = isGrowing
  }

  /** Rows may have been added, or dropped: a page that can have changed is asked for again. */
  def refresh(): Unit = if (isGrowing) until = first

  /** Nothing that was read before is there any more. */
  def reset(): Unit = until = first
}
