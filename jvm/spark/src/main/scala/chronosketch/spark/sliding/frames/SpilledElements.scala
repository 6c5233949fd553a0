package chronosketch.spark.sliding.frames

import chronosketch.sliding.{ElementSink, Elements}

/** The elements of a frame on disk: the values of its rows that are not NULL. */
final class SpilledElements(rows: SpilledColumns, element: Int) extends Elements {
  private val bit = 2L << element
  private val comes, goes = new ColumnCursor(rows)

  /** Rows have been added. */
  def refresh(): Unit = {
    comes.refresh()
    goes.refresh()
  }

  /** The rows are those of another partition. */
  def reset(): Unit = {
    comes.reset()
    goes.reset()
  }

  def foreach(from: Long, until: Long, append: ElementSink): Unit = {
    var row = from
    while (row < until) {
      if ((comes.flags(row) & bit) == 0L) append.append(comes.value(row, element))
      row += 1
    }
  }

  def count(from: Long, until: Long): Long = {
    var elements = 0L
    var row = from
    while (row < until) {
      if ((goes.flags(row) & bit) == 0L) elements += 1
      row += 1
    }
    elements
  }
}
