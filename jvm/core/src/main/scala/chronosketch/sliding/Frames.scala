package chronosketch.sliding

/** The frames of consecutive rows. Row i sees the elements from(i) until until(i), with 0 ≤ from(i) ≤ until(i); neither end moves
  * backwards from one row to the next. The arrays may be longer than the number of rows.
  *
  * Elements are the inputs of a function, numbered in row order. Rows that the function skips (NULL, FILTER) have no element.
  */
final class Frames(val from: Array[Int], val until: Array[Int], val rows: Int) {

  /** Whether the row has the same frame as the row before it. */
  def isRepeated(row: Int): Boolean =
    row > 0 && from(row) == from(row - 1) && until(row) == until(row - 1)
}
