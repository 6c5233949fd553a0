package chronosketch.sliding

/** Which elements do the rows see? Row i sees the elements from(i) until until(i): 0 ≤ from(i) ≤ until(i), and neither goes back from
  * one row to the next. The arrays may be longer than there are rows.
  *
  * Elements are what a function takes in, numbered in the order of the rows: rows that it skips (NULL, FILTER) are none.
  */
final class Frames(val from: Array[Int], val until: Array[Int], val rows: Int) {

  /** Whether a row sees what the row before it saw. */
  def isRepeated(row: Int): Boolean =
    row > 0 && from(row) == from(row - 1) && until(row) == until(row - 1)
}
