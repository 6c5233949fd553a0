package chronosketch.history.span

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.rank.RankProfile

/** The elements alive at consecutive versions: from [[first]] up to the first version of the next span. */
private[history] trait Span {
  def first: Long

  /** The rank bounds at a version. `domain` is the type of the values. */
  def profile(version: Long, domain: Domain): RankProfile

  /** This span, if it can answer without a profile. */
  def counted: Option[CountedSpan]

  /** Writes the span without its first version, which the caller has written. */
  def write(writer: Wire.Writer): Unit

  /** The maximal number of elements alive at a version. */
  def maxAlive: Long

  def sizeBytes: Long
}

/** Builds a span from the changes of the elements alive and the ends of versions. */
private[history] trait SpanBuilder {

  /** Records that `change` copies of a key were inserted, or deleted if negative. */
  def change(key: Long, change: Long): Unit

  /** Ends a version, which has the changes since the last end. Returns false, and drops these changes, if the version must begin a new span. */
  def endVersion(version: Long): Boolean

  /** The span up to the last version that was ended. */
  def finish(): Span

  def sizeBytes: Long
}

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
