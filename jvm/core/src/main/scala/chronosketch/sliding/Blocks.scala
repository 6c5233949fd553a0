package chronosketch.sliding

/** Cuts the elements into consecutive blocks so that every frame is the tail of one block, whole but for what has expired,
  * and the head of the next: what has arrived of it.
  *
  * Guarantee  after advance(i): start ≤ cut ≤ end, start ≤ from(i) ≤ cut ≤ until(i) ≤ end, or from(i) = cut and the tail is empty. The
  *            blocks of one run do not overlap: each element is in one at most
  * Cost       O(1) a row amortised; no block is longer than the longest frame and what arrives until its first element expires
  * Source     Suomela, Median filtering is equivalent to sorting, 2014, §3; van Herk 1992, Gil and Werman 1993; departs: frames
  *            may change their size, be empty and leap
  *
  * @param first the row that comes first: those before it are ignored
  */
final class Blocks(frames: Frames, first: Int = 0) {

  /** The older block is [start, cut), the newer [cut, end). */
  var start, cut, end = 0

  // the first row whose frame begins beyond the cut
  private var ahead = first

  /** To the frame of a row, the next one or `first`: whether the blocks are others now. Then the newer block has become the older
    * one, all of it has arrived, and a new one begins at `cut`; or both are new and the older is empty.
    */
  def advance(row: Int): Boolean =
    if (row < ahead) false
    else {
      val from = frames.from(row)
      if (from < end) {
        start = cut
        cut = end
      } else {
        start = from
        cut = from
        end = from
      }
      while (ahead < frames.rows && frames.from(ahead) <= cut) {
        end = frames.until(ahead)
        ahead += 1
      }
      true
    }
}
