package chronosketch.quantile

/** The dense gaps of a buffer: gaps between neighbouring tuples in which most of its values lie.
  *
  * Guarantee  a gap contains the values strictly between the keys of two neighbouring tuples. Gaps are reported only if they contain
  *            at least half of a few samples: values drawn evenly from the sorted buffer, without those outside of all tuples
  * Cost       a binary search per sample
  *
  * If values come from several sources that each rise or fall, such as the two ends of a zigzag, each source stays in one gap, and
  * the next values will lie in the same gaps (docs/algorithms.md, Dense gaps).
  *
  * @param size
  *   the number of dense gaps. They are numbered in ascending order of their keys
  */
private[quantile] final class DenseGaps private (lows: Array[Long], highs: Array[Long], val size: Int) {

  /** The key of the tuple before a gap. */
  def low(gap: Int): Long = lows(gap)

  /** The key of the tuple after a gap. */
  def high(gap: Int): Long = highs(gap)
}

private[quantile] object DenseGaps {
  val none: DenseGaps = new DenseGaps(Array.emptyLongArray, Array.emptyLongArray, 0)

  /** The number of samples. A gap is dense if two neighbouring samples lie in it. */
  private val Samples = 16

  /** This many samples must lie between the first and the last tuple. The ranks of values outside are certain anyway. */
  private val FewestInside = 4

  // not a gap: below or above all tuples, or equal to a tuple's key
  private val Outside = -2
  private val AtTuple = -1

  /** With fewer tuples, two samples often lie in one gap by chance. */
  private val FewestTuples = 64

  /** The index of the tuple after the gap that contains a value; [[Outside]] or [[AtTuple]] if no gap does. */
  private def gapOf(tuples: Tuples, value: Long): Int = {
    val i = TupleArrays.lowerBound(tuples.keys, 0, tuples.size, value)
    if (i == 0 || i == tuples.size) Outside else if (tuples.keys(i) == value) AtTuple else i
  }

  /** Finds the dense gaps of the first n values, which are sorted. */
  def find(tuples: Tuples, values: Array[Long], n: Int): DenseGaps = {
    val share = n / Samples
    if (share <= 1 || tuples.size < FewestTuples) none
    else {
      val lows, highs = new Array[Long](Samples)
      var found = 0
      var previous = Outside
      var inDenseGaps = 0
      var inside = 0
      var i = 0
      // stop once the remaining samples, and the one before them, can no longer reach one half
      while (i < Samples && inside <= 2 * inDenseGaps + 2 + Samples - i) {
        val gap = gapOf(tuples, values(i * share))
        if (gap != Outside) inside += 1
        if (gap >= 0 && gap == previous) {
          if (found == 0 || highs(found - 1) != tuples.keys(gap)) {
            lows(found) = tuples.keys(gap - 1)
            highs(found) = tuples.keys(gap)
            found += 1
            inDenseGaps += 1
          }
          inDenseGaps += 1
        }
        previous = gap
        i += 1
      }
      if (inside < FewestInside || 2 * inDenseGaps < inside) none else new DenseGaps(lows, highs, found)
    }
  }
}
