package chronosketch.sliding

/** Cuts the rows into stretches. The frames of one stretch together span only a few times the longest of them. So a stretch can
  * be sorted once for all its rows, and each frame is a large part of it.
  *
  * Cost  O(1) per row; the stretches of n elements have at most Times/(Times − 1)·n elements together, because a stretch begins
  *       only when all but 1/Times of the previous one has expired
  */
private[chronosketch] object Stretches {

  /** Largest ratio of a stretch to its longest frame. Longer stretches sort fewer elements twice, but are slower to sort and to
    * search.
    */
  private val Times = 4L

  /** Stretches up to this size cost little more than shorter ones. */
  private val Least = 1024L

  /** First row after the stretch that begins with `row`. */
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
