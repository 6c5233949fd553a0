package chronosketch.spark.sliding.structures

import chronosketch.spark.sliding.frames.FrameColumns

/** Removes the rows without an element. So frames of rows become frames of elements.
  *
  * Cost  a scan of the flags; a copy if a row has no element
  */
final class PresentElements(elements: Seq[Int]) {
  private val bit = 2L << elements.head
  private val copies = Array.fill(elements.length + 1)(new Array[Long](0))
  private var before = new Array[Int](0)

  /** Returns the elements. If there are other values for each, these and the flags follow.
    *
    * The frames in `answers` must be indexes of rows in the columns. They are changed in place to indexes of the returned elements.
    */
  def of(columns: FrameColumns, answers: StructureAnswers, rows: Int): Array[Array[Long]] = {
    val (from, until) = (answers.from, answers.until)
    val (first, end) = (from(0), until(rows - 1))
    val flags = columns.flags
    var some = 0L
    var i = first
    while (i < end) { some |= flags(i); i += 1 }
    val values = elements.map(columns.values(_)).toArray
    val all = if (values.length > 1) values :+ flags else values
    if ((some & bit) == 0L) all
    else {
      if (before.length < end - first + 1) before = new Array[Int](end - first + 1 + (end - first) / 4)
      val counts = before
      var count = 0
      i = first
      while (i < end) {
        counts(i - first) = count
        if ((flags(i) & bit) == 0L) count += 1
        i += 1
      }
      counts(end - first) = count
      i = 0
      while (i < rows) {
        from(i) = counts(from(i) - first)
        until(i) = counts(until(i) - first)
        i += 1
      }
      all.indices.map(c => copy(all(c), flags, first, end, c)).toArray
    }
  }

  private def copy(column: Array[Long], flags: Array[Long], first: Int, end: Int, c: Int): Array[Long] = {
    if (copies(c).length < end - first) copies(c) = new Array[Long](end - first + (end - first) / 4)
    val present = copies(c)
    var count = 0
    var i = first
    while (i < end) {
      if ((flags(i) & bit) == 0L) {
        present(count) = column(i)
        count += 1
      }
      i += 1
    }
    present
  }
}
