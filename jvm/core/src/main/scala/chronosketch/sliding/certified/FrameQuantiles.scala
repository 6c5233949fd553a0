package chronosketch.sliding.certified

import chronosketch.counted.Share
import chronosketch.rank.Phi
import chronosketch.sliding.{ElementSink, Elements, LargeFrames}

/** Which keys are the φ-quantiles of a frame that is too large to be kept, and which can be?
  *
  * Guarantee  rank error ≤ ε·n of the n elements of the frame; the exact quantile lies between [[low]] and [[high]], always
  * Cost       beside the structure's, a question to it where more than ε/4·n elements have come and gone since the last one, or what is
  *            certain no longer allows for more. The elements are read again where they have become more than it was made for, or so
  *            few that ¾ε is exceeded: O(1) times an element amortised
  * Source     docs/algorithms.md, Frames too large to keep. Bounds between two questions: when t elements have come or gone, a
  *            rank has moved by t at most
  */
final class FrameQuantiles(phis: Array[Phi], epsilon: Double, structure: FrameStructure, elements: Elements)
    extends LargeFrames
    with ElementSink {
  private val ranks = new FrameRanks
  private var summary: FrameSummary = null
  private var left, right = 0L // the frame's places
  private var gone = 0L // of the elements that the summary has seen

  // since the last question: how many have come or gone, and how many may; the least that came, and the greatest
  private var changes, budget = 0L
  private var leastCome, greatestCome = 0L

  private val values, lows, highs = new Array[Long](phis.length)
  private val isLowest, isHighest = new Array[Boolean](phis.length)
  private var leastKey, greatestKey = 0L

  /** How many elements the frame has: where it has none there are no answers. */
  def count: Long = if (summary == null) 0L else summary.count

  /** How many values are kept. */
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

  /** On to the frame of these places; neither end goes back. */
  def see(from: Long, until: Long): Unit = {
    val isNew = summary == null || from >= right || !move(from, until)
    if (isNew) begin(from, until)
    if (summary.count > 0 && changes > budget) {
      val isClose = ask()
      // half as many as are left have gone: reading the elements again costs O(1) for each of these
      if (!isClose && !isNew && 2 * gone >= summary.count) {
        begin(from, until)
        ask()
        ()
      }
    }
  }

  /** Whether the summary was made for so many elements. */
  private def move(from: Long, until: Long): Boolean = {
    elements.foreach(right, until, this)
    val left = elements.count(this.left, from)
    summary.expire(left)
    gone += left
    changes += left
    this.left = from
    right = until
    summary.count <= summary.capacity
  }

  /** Nothing is kept until the next frame. */
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

  /** Asks; whether what is certain leaves room for changes. */
  private def ask(): Boolean = {
    ranks.clear()
    summary.describe(ranks)
    val n = ranks.count
    val allowed = Share.of(epsilon, n)
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
