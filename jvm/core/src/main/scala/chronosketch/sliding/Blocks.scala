package chronosketch.sliding

/** Cuts the elements into consecutive blocks such that every frame is a suffix of one block plus a prefix of the next. The suffix
  * is the older block without its expired elements; the prefix is what has arrived of the newer block.
  *
  * Guarantee  after advance(i), start ≤ cut ≤ end and either start ≤ from(i) ≤ cut ≤ until(i) ≤ end, or from(i) = cut and the
  *            suffix is empty. The blocks of one run do not overlap: each element belongs to at most one
  * Cost       O(1) per row, amortised; a block is never longer than the longest frame plus what arrives until its first element
  *            expires
  * Source     Suomela, Median filtering is equivalent to sorting, 2014, §3; van Herk 1992, Gil and Werman 1993; departs: frames
  *            may change their size, be empty and leap
  *
  * @param first the first row; earlier rows are ignored
  */
final class Blocks(frames: Frames, first: Int = 0) {

  /** The older block is [start, cut), the newer [cut, end). */
  var start, cut, end = 0

  // first row whose frame begins after the cut
  private var ahead = first

  /** Moves to the frame of `row`, which must be `first` or the successor of the previous row. Returns true if the blocks changed.
    * After a change either the newer block, now complete, has become the older one and a new block begins at `cut`; or both
    * blocks are new and the older one is empty.
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
