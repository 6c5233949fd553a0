package chronosketch.bucketing

/** Where may a bucket begin and end?
  *
  * Guarantee  the cells of the grid are nested or disjoint, whichever sketches they come from
  * Cost       a few shifts
  * Units      a position is (time, tie), ordered by time and then by tie, 128 bits in all; a cell of level l has the positions
  *            that differ in their last l bits alone: one at level 0, all at level 128. It is told by its first position.
  * Merge      one grid, fixed for ever
  */
private[chronosketch] object Grid {
  final val Everything = 128
  final val OneTime = 64

  /** The level of the least cell that has both positions. */
  def common(timeA: Long, tieA: Long, timeB: Long, tieB: Long): Int =
    if (timeA == timeB) OneTime - java.lang.Long.numberOfLeadingZeros(tieA ^ tieB)
    else Everything - java.lang.Long.numberOfLeadingZeros(timeA ^ timeB)

  // the first position of the cell that has this one
  def firstTime(time: Long, level: Int): Long = floor(time, level - OneTime)
  def firstTie(tie: Long, level: Int): Long = floor(tie, level)

  // the last one
  def lastTime(time: Long, level: Int): Long = ceiling(time, level - OneTime)
  def lastTie(tie: Long, level: Int): Long = ceiling(tie, level)

  // of a cell's first position, where its second half begins; of more than one position
  def middleTime(time: Long, level: Int): Long = if (level > OneTime) time ^ (1L << (level - 1)) else time
  def middleTie(tie: Long, level: Int): Long = if (level > OneTime) tie else tie ^ (1L << (level - 1))

  /** Whether the one position comes before the other. */
  def isBefore(timeA: Long, tieA: Long, timeB: Long, tieB: Long): Boolean =
    timeA < timeB || (timeA == timeB && tieA < tieB)

  private def floor(number: Long, bits: Int): Long =
    if (bits <= 0) number else if (bits >= 64) Long.MinValue else number & (-1L << bits)

  private def ceiling(number: Long, bits: Int): Long =
    if (bits <= 0) number else if (bits >= 64) Long.MaxValue else number | ~(-1L << bits)
}
