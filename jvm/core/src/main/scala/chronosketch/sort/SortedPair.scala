package chronosketch.sort

/** Merges two sorted runs of keys.
  *
  * Guarantee  all keys of both, in ascending order
  * Cost       a step per key. Which run the next key comes from is hard to predict, so it is computed without a branch
  */
private[chronosketch] object SortedPair {

  /** Writes the merged keys of both runs into an array, from `at` on. */
  def merge(
      left: Array[Long],
      leftFrom: Int,
      leftUntil: Int,
      right: Array[Long],
      rightFrom: Int,
      rightUntil: Int,
      to: Array[Long],
      at: Int
  ): Unit = {
    var i = leftFrom
    var j = rightFrom
    var o = at
    while (i < leftUntil && j < rightUntil) {
      val ours = left(i)
      val theirs = right(j)
      val fromLeft = if (ours <= theirs) 1 else 0
      to(o) = math.min(ours, theirs)
      i += fromLeft
      j += 1 - fromLeft
      o += 1
    }
    System.arraycopy(left, i, to, o, leftUntil - i)
    System.arraycopy(right, j, to, o + leftUntil - i, rightUntil - j)
  }
}
