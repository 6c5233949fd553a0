package chronosketch.spark.sliding.frames

import chronosketch.sliding.{ElementSink, Elements}

/** Reads the elements of frames whose rows are on disk: the values that are not NULL. */
final class SpilledElements(rows: SpilledColumns, element: Int) extends Elements {
  private val bit = 2L << element
  // two cursors, because elements are read where frames end and counted where they begin
  private val reading, counting = new ColumnCursor(rows)

  /** Must be called after rows were added. */
  def refresh(): Unit = {
    reading.refresh()
    counting.refresh()
  }

  /** Must be called before rows of another partition are read. */
  def reset(): Unit = {
    reading.reset()
    counting.reset()
  }

  def foreach(from: Long, until: Long, append: ElementSink): Unit = {
    var row = from
    while (row < until) {
      if ((reading.flags(row) & bit) == 0L) append.append(reading.value(row, element))
      row += 1
    }
  }

  def count(from: Long, until: Long): Long = {
    var elements = 0L
    var row = from
    while (row < until) {
      if ((counting.flags(row) & bit) == 0L) elements += 1
      row += 1
    }
    elements
  }
}
