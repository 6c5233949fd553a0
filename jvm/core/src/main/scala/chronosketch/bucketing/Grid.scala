package chronosketch.bucketing

/** The grid of cells that determines where buckets begin and end.
  *
  * Guarantee  two cells are nested or disjoint, also if they come from different sketches: the grid is the same in all, and fixed for ever
  * Cost       a few shifts
  * Units      a position is (time, tie), ordered by time and then by tie, 128 bits in all. A cell of level l consists of the positions
  *            that differ in their last l bits alone: one position at level 0, all at level 128. A cell is given by its level and its
  *            first position
  */
private[chronosketch] object Grid {
  final val Everything = 128
  final val OneTime = 64

  /** The level of the smallest cell that contains both positions. */
  def common(timeA: Long, tieA: Long, timeB: Long, tieB: Long): Int =
    if (timeA == timeB) OneTime - java.lang.Long.numberOfLeadingZeros(tieA ^ tieB)
    else Everything - java.lang.Long.numberOfLeadingZeros(timeA ^ timeB)

  // the first position of the cell that contains this one
  def firstTime(time: Long, level: Int): Long = floor(time, level - OneTime)
  def firstTie(tie: Long, level: Int): Long = floor(tie, level)

  // the last position of that cell
  def lastTime(time: Long, level: Int): Long = ceiling(time, level - OneTime)
  def lastTie(tie: Long, level: Int): Long = ceiling(tie, level)

  // the first position of a cell's second half, given the cell's first position; level > 0
  def middleTime(time: Long, level: Int): Long = if (level > OneTime) time ^ (1L << (level - 1)) else time
  def middleTie(tie: Long, level: Int): Long = if (level > OneTime) tie else tie ^ (1L << (level - 1))

  def isBefore(timeA: Long, tieA: Long, timeB: Long, tieB: Long): Boolean =
    timeA < timeB || (timeA == timeB && tieA < tieB)

  private def floor(number: Long, bits: Int): Long =
    if (bits <= 0) number else if (bits >= 64) Long.MinValue else number & (-1L << bits)

  private def ceiling(number: Long, bits: Int): Long =
    if (bits <= 0) number else if (bits >= 64) Long.MaxValue else number | ~(-1L << bits)
}
