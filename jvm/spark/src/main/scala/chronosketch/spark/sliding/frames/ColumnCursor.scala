package chronosketch.spark.sliding.frames

/** Provides the columns of rows, a page of consecutive rows at a time. */
trait ColumnSource {

  /** Gives a cursor the page with this row. */
  def show(row: Long, cursor: ColumnCursor): Unit
}

/** Reads the columns of rows in order, from memory or from disk.
  *
  * Cost  two comparisons a row; the source is called once a page
  */
final class ColumnCursor(source: ColumnSource) {
  private var keys, bits: Array[Long] = null
  private var columns: Array[Array[Long]] = null
  private var first, until = 0L
  private var isGrowing = false

  /** A buffer for a source that reads pages from disk; null until it is needed. */
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

  /** Sets the page: the rows from `first` until `until` are read from these columns.
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

  /** Must be called after rows may have been added or dropped. A page that can change is requested again. */
  def refresh(): Unit = if (isGrowing) until = first

  /** Forgets the page: its rows no longer exist. */
  def reset(): Unit = until = first
}
