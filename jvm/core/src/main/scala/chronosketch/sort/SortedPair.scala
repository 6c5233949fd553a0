package chronosketch.sort

/** In which order are the keys of two runs that are each in order?
  *
  * Guarantee  all keys of both, in order
  * Cost       a step a key: which side comes next is a coin toss, so it is computed, not branched on
  */
private[chronosketch] object SortedPair {

  /** The keys of one run and of another into an array, from `at` on. */
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
