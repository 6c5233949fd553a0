package chronosketch.spark.sliding

import chronosketch.sliding.certified.{ElementSink, Elements}

/** The elements among the rows of a log. */
final class LogElements(log: RowLog, element: Int) extends Elements {
  private val bit = 2L << element
  private val column = 2 + element
  private val comes, goes = new RowCursor(log)

  def reset(): Unit = {
    comes.reset()
    goes.reset()
  }

  def foreach(from: Long, until: Long, append: ElementSink): Unit = {
    var row = from
    while (row < until) {
      if ((comes.word(row, 1) & bit) == 0L) append.append(comes.word(row, column))
      row += 1
    }
  }

  def count(from: Long, until: Long): Long = {
    var elements = 0L
    var row = from
    while (row < until) {
      if ((goes.word(row, 1) & bit) == 0L) elements += 1
      row += 1
    }
    elements
  }
}
