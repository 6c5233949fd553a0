package chronosketch.sliding.fold

import java.util.Arrays

import chronosketch.quantile.{GreenwaldKhanna, MergeLimit, Tuples}
import chronosketch.summary.Summary

/** Which of the tuples of many sketches' union are enough? The last one of each cell. Cells lie between neighbouring keys of a model,
  * a merged sketch of such elements, so each cell has about as many elements as any other.
  *
  * Guarantee  a tuple has the r_min that it has in the union of all tuples, and an r_max that is certain: the elements up to a
  *            cell's bound are at most the sum of what each sketch says. A union whose g + Δ is more than thinning would make it
  *            is not given, and neither is one of so few keys that merging may keep all of them
  * Cost       a pass over the cells and a sketch's keys to count it, and one over the cells for a union, however many sketches it has
  */
private[fold] final class CellGrid(model: GreenwaldKhanna) {
  private val epsilon = model.epsilon
  private val domain = model.domain
  private val bounds = CellGrid.boundsOf(model)

  // the union at hand: its arrays serve for the next one, too
  private val tuples = new Tuples
  private val union = model.fresh
  private var widest, used = 0L

  /** What a sketch says about the elements up to each bound. */
  def ranksOf(summary: Summary): CellRanks = {
    val ranks = new CellRanks(bounds.length)
    summary match {
      case sketch: GreenwaldKhanna if sketch.epsilon == epsilon && sketch.domain == domain =>
        count(sketch, ranks)
      case _ => ranks.isKnown = false
    }
    ranks
  }

  private def count(sketch: GreenwaldKhanna, ranks: CellRanks): Unit = {
    val n = sketch.tuples
    val known = sketch.summarised
    val keys = known.keys
    val gs = known.gs
    ranks.count = known.count
    if (n > 0) ranks.minimum = keys(0)
    var at = 0 // the first tuple beyond the bound
    var low = 0L
    var i = 0
    while (i < bounds.length) {
      val bound = bounds(i)
      while (at < n && keys(at) <= bound) {
        low += gs(at)
        at += 1
      }
      ranks.low(i) = low
      // the first tuple above x comes after all elements that are ≤ x
      ranks.high(i) = if (at < n) low + gs(at) + known.deltas(at) - 1 else low
      ranks.last(i) = if (at > 0) keys(at - 1) else Long.MinValue
      i += 1
    }
  }

  /** The union of the sketches with these ranks, until the next call; null where merging has to make it. */
  def unionOf(ranks: CellRanks): GreenwaldKhanna =
    if (!ranks.isKnown || ranks.count == 0) null
    else {
      fill(ranks)
      val isFine = widest <= MergeLimit.spending(used, epsilon, ranks.count)
      // 1/ε distinct keys are exact, in whatever order they come
      val isKept = widest <= 1 || tuples.size > 2 / epsilon
      if (isFine && isKept) {
        union.restore(tuples)
        union
      } else null
    }

  private def fill(ranks: CellRanks): Unit = {
    tuples.reserve(2 * bounds.length + 2)
    tuples.size = 0
    tuples.count = ranks.count
    widest = 1
    used = 1
    append(ranks.minimum, 1L, 0L)
    var below = 1L
    var key = ranks.minimum
    var i = 0
    while (i < bounds.length) {
      val low = ranks.low(i)
      val high = ranks.high(i)
      used = math.max(used, high - low + 1)
      if (low > below) {
        val last = ranks.last(i)
        if (last == key) appendCopies(key, low - below)
        else if (isOneKey(i)) {
          // the first copy comes right after the elements up to the key before
          val first = math.min(ranks.high(i - 1) + 1, high)
          append(last, 1L, first - below - 1)
          widest = math.max(widest, first - below)
          appendCopies(last, low - below - 1)
        } else {
          append(last, low - below, high - low)
          widest = math.max(widest, high - below)
        }
        key = last
        below = low
      }
      i += 1
    }
  }

  /** Whether a cell is a single key: of its copies the first and the last are told. The first cell is never asked: if it is the least
    * Long alone, that is the minimum.
    */
  private def isOneKey(i: Int): Boolean = i > 0 && bounds(i) == bounds(i - 1) + 1

  private def appendCopies(key: Long, copies: Long): Unit = if (copies > 0) append(key, copies, 0L)

  private def append(key: Long, g: Long, delta: Long): Unit = {
    val n = tuples.size
    tuples.keys(n) = key
    tuples.gs(n) = g
    tuples.deltas(n) = delta
    tuples.size = n + 1
  }
}

private object CellGrid {

  /** The keys of a sketch, and of a key with many copies the one below it: so the copies have a cell of their own. The last cell has
    * no bound.
    */
  private def boundsOf(model: GreenwaldKhanna): Array[Long] = {
    val n = model.tuples
    val keys = model.summarised.keys
    val bounds = new Array[Long](n + 1)
    var size = 0
    var i = 0
    while (i < n) {
      val key = keys(i)
      val isPair = i + 1 < n && keys(i + 1) == key
      if (isPair && key > Long.MinValue && (size == 0 || bounds(size - 1) < key - 1)) {
        bounds(size) = key - 1
        size += 1
      }
      bounds(size) = key
      size += 1
      i += (if (isPair) 2 else 1)
    }
    if (size > 0 && bounds(size - 1) < Long.MaxValue) {
      bounds(size) = Long.MaxValue
      size += 1
    }
    Arrays.copyOf(bounds, size)
  }
}
