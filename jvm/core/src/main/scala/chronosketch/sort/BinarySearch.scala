package chronosketch.sort

/** Finds positions in sorted sequences by binary search.
  *
  * Cost  log₂ n evaluations of the condition. Searches in hot loops are written out instead, without a function object
  */
private[chronosketch] object BinarySearch {

  /** The first index from 0 until n at which a condition is true; n if it never is. The condition must stay true once it is. */
  def firstWhere(n: Int)(condition: Int => Boolean): Int = {
    var low = 0
    var high = n
    while (low < high) {
      val mid = (low + high) >>> 1
      if (condition(mid)) high = mid else low = mid + 1
    }
    low
  }
}
