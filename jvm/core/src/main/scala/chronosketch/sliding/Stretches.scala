package chronosketch.sliding

/** Cuts the rows into stretches: what the rows of one see is few times what one of them sees, so that it may be sorted for all of
  * them, and whichever part of it they see is dense in it.
  *
  * Cost  O(1) a row; the stretches of n elements have Times/(Times − 1)·n elements together at most: the next begins where all but
  *       one part in Times of the last one has been left behind
  */
private[chronosketch] object Stretches {

  /** Longer ones save more elements that would be sorted twice, and are dearer to sort and to go about in. */
  private val Times = 4L

  /** So many elements cost little more than fewer. */
  private val Least = 1024L

  /** Where the stretch that begins with this row ends. */
  def end(frames: Frames, row: Int): Int = {
    val from = frames.from
    val until = frames.until
    val start = from(row)
    var longest = 0
    var end = row
    while (end < frames.rows) {
      longest = math.max(longest, until(end) - from(end))
      if (until(end) - start > math.max(Least, Times * longest)) return end
      end += 1
    }
    end
  }
}
