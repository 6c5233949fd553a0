package chronosketch.quantile

import chronosketch.memory.Meter
import chronosketch.rank.RankProfile

/** Between which ranks are a few of the values that came?
  *
  * Guarantee  (v, g, Δ) in order of v: r_min(i) = Σ_{j≤i} g_j, r_max(i) = r_min(i) + Δ_i
  * Cost       24 bytes a tuple; [[absorb]] a search a key
  * Merge      [[TupleScratch]]
  * Source     Greenwald, Khanna 2001; departs: ties. At most two tuples have one v; of such a pair only r_max of the first and
  *            r_min of the last are ever used, so the last's Δ is 0 and its g without limit. The first tuple is the minimum with
  *            g = 1, Δ = 0; the last is the maximum
  */
private[chronosketch] final class Tuples extends TupleArrays {

  /** The tuples are the elements 0 until `size` of the arrays. */
  var size = 0

  /** The elements that they stand for. */
  var count = 0L

  /** Whether tuples may have been dropped: until then every element is known. */
  var isThinned = false

  // how often the keys have changed: what the thread's index was built from
  private var version = 0L

  def isEmpty: Boolean = size == 0
  def sizeBytes: Long = 3 * Meter.longs(keys.length)

  /** Room for m tuples; what the arrays held is lost where they are too short. */
  def reserve(m: Int): Unit = if (keys.length < m) resize(m)

  /** The first m tuples of another in place of its own. */
  def copyOf(that: TupleArrays, m: Int): Unit = {
    reserve(m)
    copyFrom(that, 0, 0, m)
  }

  /** Takes the union's tuples in place of its own; true where its arrays are other ones then. */
  def assign(union: TupleScratch): Boolean = {
    val m = union.length
    val isResized = keys.length < m || keys.length > 2 * m + 64
    if (isResized) resize(m + m / 4)
    union.copyTo(keys, gs, deltas)
    size = m
    version += 1
    isResized
  }

  /** Takes the arrays of others, which are not used again. */
  def take(others: Tuples): Unit = {
    keys = others.keys
    gs = others.gs
    deltas = others.deltas
    size = others.size
    count = others.count
    isThinned = !isExact
    version += 1
  }

  /** Gives a giant's room back. */
  def trim(): Unit = if (keys.length > TupleScratch.MostKept) {
    keys = Array.emptyLongArray
    gs = Array.emptyLongArray
    deltas = Array.emptyLongArray
  }

  /** Whether they tell every element. */
  def isExact: Boolean = {
    var i = 0
    while (i < size && ((i > 0 && keys(i) == keys(i - 1)) || gs(i) + deltas(i) <= 1)) i += 1
    i == size
  }

  /** Whether many of a full buffer's n keys will be absorbed. Of the first buffers so few are that sorting all of them is quicker. */
  def isAbsorbing(n: Int): Boolean = size > 2 && count >= Tuples.AbsorbFrom * n

  /** Counts keys of which there are two tuples into the second, as if inserted. The others stay, at the front of the array; their number. */
  def absorb(arrived: Array[Long], n: Int): Int = {
    val k = keys
    val g = gs
    val m = size
    val first = k(0)
    val last = k(m - 1)
    var i = 0
    while (i < n && (arrived(i) <= first || arrived(i) > last)) i += 1
    var kept = i
    // new minima or maxima all: no index is needed
    if (i < n) {
      // found before any is counted: whether one is absorbed is a coin toss, and a wrong guess must not wait for a search
      val places = TupleScratch.own.placesFor(n)
      TupleScratch.own.indexOf(k, m, version).successors(arrived, i, n, places)
      while (i < n) {
        val key = arrived(i)
        val s = places(i)
        if (key > first && key <= last && k(s) == key && s + 1 < m && k(s + 1) == key) g(s + 1) += 1
        else { arrived(kept) = key; kept += 1 }
        i += 1
      }
    }
    count += n - kept
    kept
  }

  def profile: RankProfile = {
    val k, low, high = new Array[Long](size)
    var distinct = 0
    var rank = 0L
    var i = 0
    while (i < size) {
      val first = distinct == 0 || k(distinct - 1) != keys(i)
      rank += gs(i)
      if (first) {
        // r_max(first tuple > x) − 1 for the x up to here
        if (distinct > 0) high(distinct - 1) = rank + deltas(i) - 1
        k(distinct) = keys(i)
        distinct += 1
      }
      low(distinct - 1) = rank
      i += 1
    }
    if (distinct > 0) high(distinct - 1) = rank
    RankProfile.certain(distinct, k, low, high, rank)
  }
}

private[quantile] object Tuples {

  /** Buffers summarised before the next one is looked up in the tuples. */
  private val AbsorbFrom = 4L
}
