package chronosketch.history.span

/** How wrong may the parts of a counted span be, so that the whole is within ε?
  *
  * Guarantee  an answer is off by at most [[needed]] ranks while no cell that can be split has more than `content` elements, each
  *            of height + 1 counters on a path is within `counter` of what it counts, and the count within `count`
  * Units      elements
  * Source     docs/algorithms.md, Any past version
  */
private[history] final case class Tolerance(content: Long, counter: Long, count: Long, height: Int) {

  /** How far a sum of counters along a path is off at most. */
  def path: Long = counter * (height + 1)

  /** Half of what lies between the bounds of two neighbours, rounded up, and what the count is off. */
  def needed: Long = Tolerance.needed(content, path, count)

  /** Whether that is within ε of so many elements. */
  def serves(epsilon: Double, n: Long): Boolean = needed.toDouble <= epsilon * (n - 2 * count).toDouble
}

private[history] object Tolerance {

  /** The share of the elements at its first version below which a span ends, and above which it does. */
  private val Fewest = 0.9
  val Most = 1.2

  /** With fewer ranks to be off by, counters would be written too often: a log of changes is smaller. */
  private val Enough = 24L

  /** Ranks that an answer may be off in a span that begins with n elements; 0 where that is too few for counters. */
  def ranks(epsilon: Double, n: Long): Long = {
    // a little less: doubles round
    val all = (epsilon * Fewest * (1 - 1e-12) * n.toDouble).toLong
    if (all < Enough) 0L else all
  }

  /** Elements in a cell at most, of those ranks; a cell begins with half as many. */
  def content(ranks: Long): Long = ranks * 7 / 8

  def of(ranks: Long, height: Int): Tolerance = {
    val count = ranks / 16
    val cell = content(ranks)
    Tolerance(cell, (ranks - count - (cell + 2) / 2) / (height + 1), count, height)
  }

  private def needed(content: Long, path: Long, count: Long): Long = (content + 2) / 2 + path + count
}
