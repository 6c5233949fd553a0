package chronosketch.sliding.certified

import chronosketch.counted.ElementCount
import chronosketch.rank.Phi
import chronosketch.sliding.{ElementSink, Elements, LargeFrames}

/** Computes φ-quantiles with certain bounds for frames that are too large to be stored.
  *
  * Guarantee  rank error ≤ ε·n for the n elements of the frame; the exact quantile always lies between [[low]] and [[high]]
  * Cost       the structure's, plus a query whenever more than ε/4·n elements have arrived or left since the last one, or fewer
  *            if the certain error leaves less room. The elements are read again if the frame has more than the structure was
  *            built for, or if so few remain that the error exceeds ¾ε: O(1) times per element, amortised
  * Source     docs/algorithms.md, Frames too large to keep. Bounds between two queries: t arrivals and departures move a rank by
  *            at most t
  */
final class FrameQuantiles(phis: Array[Phi], epsilon: Double, structure: FrameStructure, elements: Elements)
    extends LargeFrames
    with ElementSink {
  private val ranks = new FrameRanks
  private var summary: FrameSummary = null
  private var left, right = 0L // the frame's places
  private var gone = 0L // number of elements that have left the summary

  // since the last query: the number of arrivals and departures, the number allowed, and the least and greatest key that
  // arrived
  private var changes, budget = 0L
  private var leastCome, greatestCome = 0L

  private val values, lows, highs = new Array[Long](phis.length)
  private val isLowest, isHighest = new Array[Boolean](phis.length)
  private var leastKey, greatestKey = 0L

  /** Number of elements in the frame. If it is 0, the frame has no quantiles. */
  def count: Long = if (summary == null) 0L else summary.count

  /** Number of values stored. */
  def stored: Long = if (summary == null) 0L else summary.stored
  def sizeBytes: Long = if (summary == null) 0L else summary.sizeBytes

  def value(phi: Int): Long = values(phi)
  def low(phi: Int): Long = if (isLowest(phi)) math.min(leastKey, leastCome) else lows(phi)
  def high(phi: Int): Long = if (isHighest(phi)) math.max(greatestKey, greatestCome) else highs(phi)

  def append(key: Long): Unit = {
    summary.append(key)
    changes += 1
    leastCome = math.min(leastCome, key)
    greatestCome = math.max(greatestCome, key)
  }

  /** Moves to the frame of these places. Neither end may move backwards. */
  def moveTo(from: Long, until: Long): Unit = {
    val isNew = summary == null || from >= right || !slide(from, until)
    if (isNew) begin(from, until)
    if (summary.count > 0 && changes > budget) {
      val isClose = querySummary()
      // at least half as many elements have left as remain, so reading the elements again costs O(1) for each of those
      if (!isClose && !isNew && 2 * gone >= summary.count) {
        begin(from, until)
        querySummary()
        ()
      }
    }
  }

  /** Moves to another frame. Returns whether the summary was built for enough elements. */
  private def slide(from: Long, until: Long): Boolean = {
    elements.foreach(right, until, this)
    val left = elements.count(this.left, from)
    summary.expire(left)
    gone += left
    changes += left
    this.left = from
    right = until
    summary.count <= summary.capacity
  }

  /** Releases the memory; the next frame starts anew. */
  def forget(): Unit = {
    summary = null
    ranks.clear()
  }

  private def begin(from: Long, until: Long): Unit = {
    val n = elements.count(from, until)
    forget()
    summary = structure.of(math.max(1L, n + n / 4), epsilon / 2)
    left = from
    right = until
    elements.foreach(from, until, this)
    gone = 0L
    changes = 1L
    budget = 0L
  }

  /** Queries the summary. Returns whether the certain error leaves room for changes. */
  private def querySummary(): Boolean = {
    ranks.clear()
    summary.describe(ranks)
    val n = ranks.count
    val allowed = ElementCount.share(epsilon, n)
    var worst = 0L
    var q = 0
    while (q < phis.length) {
      values(q) = ranks.find(phis(q).rank(n))
      worst = math.max(worst, ranks.error)
      q += 1
    }
    budget = math.max(0L, math.min(allowed / 4, ((allowed - worst) / (1 + epsilon)).toLong))
    q = 0
    while (q < phis.length) {
      val rank = phis(q).rank(n)
      isLowest(q) = rank - budget < 1
      isHighest(q) = rank + budget > n
      lows(q) = ranks.least(rank - budget)
      highs(q) = ranks.greatest(rank + budget)
      q += 1
    }
    leastKey = ranks.minimum
    greatestKey = ranks.maximum
    changes = 0L
    leastCome = Long.MaxValue
    greatestCome = Long.MinValue
    worst <= allowed - allowed / 4
  }
}
