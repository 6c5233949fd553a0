package chronosketch.sliding.fold

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.quantile.{GreenwaldKhanna, MergeLimit, Tuples}
import chronosketch.summary.Summary

/** Builds a thinned union of many sketches from their ranks at the bounds of a grid of cells. It keeps the last tuple of each
  * cell. The cells lie between neighbouring keys of a model, which is a merged sketch of similar elements, so all cells have
  * about the same number of elements.
  *
  * Guarantee  a tuple has the same r_min as in the union of all tuples, and a certain r_max: the elements up to a cell's bound
  *            are at most the sum of the sketches' upper bounds. No union is returned if its g + Δ exceeds what thinning allows,
  *            or if it has so few keys that merging might keep them all
  * Cost       a pass over the cells and the sketch's keys to compute its ranks; one pass over the cells for a union, however many
  *            sketches it has
  */
private[fold] final class CellGrid(model: GreenwaldKhanna) {
  private val epsilon = model.epsilon
  private val header = model.header
  private val bounds = CellGrid.boundsOf(model)

  // the current union; its arrays are reused for the next one
  private val tuples = new Tuples
  private val union = model.newEmpty
  private var widest, used = 0L

  def sizeBytes: Long =
    2 * Meter.ObjectBytes + Meter.longs(bounds.length) + tuples.sizeBytes + union.sizeBytes

  /** The ranks of a sketch at all bounds. */
  def ranksOf(summary: Summary): CellRanks = {
    val ranks = new CellRanks(bounds.length)
    summary match {
      case sketch: GreenwaldKhanna if sketch.header == header => count(sketch, ranks)
      case _ => ranks.isKnown = false
    }
    ranks
  }

  private def count(sketch: GreenwaldKhanna, ranks: CellRanks): Unit = {
    val n = sketch.tuples
    val summarised = sketch.summarised
    val keys = summarised.keys
    val gs = summarised.gs
    ranks.count = summarised.count
    if (n > 0) ranks.minimum = keys(0)
    var at = 0 // the first tuple above the bound
    var low = 0L
    var i = 0
    while (i < bounds.length) {
      val bound = bounds(i)
      while (at < n && keys(at) <= bound) {
        low += gs(at)
        at += 1
      }
      ranks.low(i) = low
      // the first tuple above x comes after all elements ≤ x
      ranks.high(i) = if (at < n) low + gs(at) + summarised.deltas(at) - 1 else low
      ranks.last(i) = if (at > 0) keys(at - 1) else Long.MinValue
      i += 1
    }
  }

  /** The union of the sketches with these ranks. It is valid until the next call. Returns null if the sketches have to be merged
    * instead.
    */
  def unionOf(ranks: CellRanks): GreenwaldKhanna =
    if (!ranks.isKnown || ranks.count == 0) null
    else {
      fill(ranks)
      val isFine = widest <= MergeLimit.finishedLimit(used, epsilon, ranks.count)
      // up to 1/ε distinct keys are stored exactly, in whatever order they arrive
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
          // the first copy comes right after the elements up to the previous key
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

  /** Whether a cell holds a single key. If so, tuples for its first and its last copy are stored. The first cell never counts: it
    * can hold a single key only if that is Long.MinValue, which is then the minimum.
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

  /** The keys of the model. A key with many copies is preceded by the bound key − 1, so that the copies have a cell of their own.
    * The last cell extends to Long.MaxValue.
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

/** Bounds on how many elements of some sketches are at most the upper bound of each grid cell, and the greatest known key up to
  * that bound.
  *
  * Merge  adds the counts and takes the greater keys; the result is what a union of the sketches has
  */
private[fold] final class CellRanks(cells: Int) {

  /** Smallest and largest possible number of elements up to the cell's bound. */
  val low, high = new Array[Long](cells)

  /** Greatest known key up to the bound; Long.MinValue if there is none. */
  val last = new Array[Long](cells)

  var minimum: Long = Long.MaxValue
  var count = 0L

  /** Whether all sketches are of the kind that the grid was built for, and their total count fits into 63 bits. */
  var isKnown = true

  def sizeBytes: Long = Meter.ObjectBytes + 3 * Meter.longs(cells)

  /** Adds the ranks of other sketches. */
  def add(that: CellRanks): Unit = {
    CellRanks.sum(low, that.low)
    CellRanks.sum(high, that.high)
    CellRanks.greater(last, that.last)
    minimum = math.min(minimum, that.minimum)
    isKnown &= that.isKnown && Long.MaxValue - count >= that.count
    count += that.count
  }

  def copy: CellRanks = {
    val other = new CellRanks(cells)
    System.arraycopy(low, 0, other.low, 0, cells)
    System.arraycopy(high, 0, other.high, 0, cells)
    System.arraycopy(last, 0, other.last, 0, cells)
    other.minimum = minimum
    other.count = count
    other.isKnown = isKnown
    other
  }
}

private object CellRanks {

  // each loop reads only two arrays, so that it is compiled to vector instructions
  private def sum(into: Array[Long], that: Array[Long]): Unit = {
    var i = 0
    while (i < into.length) { into(i) += that(i); i += 1 }
  }

  private def greater(into: Array[Long], that: Array[Long]): Unit = {
    var i = 0
    while (i < into.length) { into(i) = math.max(into(i), that(i)); i += 1 }
  }
}
