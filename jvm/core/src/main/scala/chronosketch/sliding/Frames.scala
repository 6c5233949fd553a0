package chronosketch.sliding

import chronosketch.Cancellation

/** The frames of consecutive rows. Row i sees the elements from(i) until until(i), with 0 ≤ from(i) ≤ until(i); neither end moves
  * backwards from one row to the next. The arrays may be longer than the number of rows.
  *
  * Elements are the inputs of a function, numbered in row order. Rows that the function skips (NULL, FILTER) have no element.
  *
  * @param cancellation ends structures that walk over many rows or sort many elements
  */
final class Frames(
    val from: Array[Int],
    val until: Array[Int],
    val rows: Int,
    val cancellation: Cancellation = Cancellation.Never
) {

  /** Whether the row has the same frame as the row before it. */
  def isRepeated(row: Int): Boolean =
    row > 0 && from(row) == from(row - 1) && until(row) == until(row - 1)
}

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

/** A sequence of places, some of which hold an element. Readers go from the first place to the last, and may read places again.
  */
trait Elements {

  /** Passes the keys of all elements between the two places to the sink, in order. */
  def foreach(from: Long, until: Long, append: ElementSink): Unit

  /** Number of elements between the two places. */
  def count(from: Long, until: Long): Long
}

/** Receives the keys of elements, in order. */
trait ElementSink {
  def append(key: Long): Unit
}

/** Computes φ-quantiles of frames that are too large to be stored. A frame is given by its places; neither end moves backwards.
  */
trait LargeFrames {

  /** Moves to the frame of these places. */
  def moveTo(from: Long, until: Long): Unit

  /** Releases the memory; the next frame starts anew. */
  def forget(): Unit

  /** Number of elements in the frame. If it is 0, the frame has no quantiles. */
  def count: Long

  /** Number of values stored. */
  def stored: Long

  /** Memory in use. */
  def sizeBytes: Long

  /** The quantile for the φ at this index. */
  def value(phi: Int): Long
}

/** The elements that a data structure retains of one frame whose two ends only move forward.
  *
  * Units  bytes of heap as [[chronosketch.memory.Meter]] counts them: arrays by their length, and a constant for every other
  *        object
  */
trait RetainedElements {

  /** Removes the n oldest elements, n = `elements`. */
  def expire(elements: Long): Unit

  /** Number of elements in the frame. */
  def count: Long

  /** Number of values stored for these elements. */
  def stored: Long

  /** Memory in use, including spare capacity. */
  def sizeBytes: Long
}
