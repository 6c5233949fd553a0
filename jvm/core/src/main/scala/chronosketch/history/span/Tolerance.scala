package chronosketch.history.span

/** Divides the allowed error of a counted span among its cells, its counters and its count.
  *
  * Guarantee  an answer is off by at most [[maxError]] ranks if no cell that can be split has more than `content` elements, each of the
  *            height + 1 counters on a path is within `counter` of its exact value, and the count is within `count`
  * Units      elements
  * Source     docs/algorithms.md, Any past version
  */
private[history] final case class Tolerance(content: Long, counter: Long, count: Long, height: Int) {

  /** The greatest error of a sum of counters along a path. */
  def path: Long = counter * (height + 1)

  /** The greatest rank error: half the distance between the bounds of two neighbours, rounded up, plus the error of the count. */
  def maxError: Long = Tolerance.maxError(content, path, count)

  /** Whether the greatest error is at most ε·n for about n elements. */
  def isWithin(epsilon: Double, n: Long): Boolean = maxError.toDouble <= epsilon * (n - 2 * count).toDouble
}

private[history] object Tolerance {

  /** A span ends when it has less than `MinShare` or more than `MaxShare` of the elements of its first version. */
  private val MinShare = 0.9
  val MaxShare = 1.2

  /** If fewer ranks of error are allowed, counters would be written so often that a log of changes is smaller. */
  private val MinRanks = 24L

  /** The allowed rank error in a span that begins with n elements; 0 if it is too small for counters. */
  def ranks(epsilon: Double, n: Long): Long = {
    // slightly less, because doubles round
    val all = (epsilon * MinShare * (1 - 1e-12) * n.toDouble).toLong
    if (all < MinRanks) 0L else all
  }

  /** The maximal number of elements in a cell, given the allowed rank error. A cell begins with half of it. */
  def content(ranks: Long): Long = ranks * 7 / 8

  def of(ranks: Long, height: Int): Tolerance = {
    val count = ranks / 16
    val cell = content(ranks)
    Tolerance(cell, (ranks - count - (cell + 2) / 2) / (height + 1), count, height)
  }

  private def maxError(content: Long, path: Long, count: Long): Long = (content + 2) / 2 + path + count
}
