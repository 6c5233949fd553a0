package chronosketch.quantile

import chronosketch.memory.Meter
import chronosketch.rank.RankProfile

/** The tuples of a quantile sketch: some of its values, each with bounds on its rank.
  *
  * Guarantee  tuples (v, g, Δ) in ascending order of v: r_min(i) = Σ_{j≤i} g_j, r_max(i) = r_min(i) + Δ_i
  * Cost       24 bytes per tuple; [[absorb]] searches each key
  * Merge      in a [[TupleScratch]]
  * Source     Greenwald, Khanna 2001; departs: ties. At most two tuples have the same v. Only r_max of the first and r_min of the
  *            second are used, so the second has Δ = 0 and no limit of g. The first tuple of all is the minimum, with g = 1 and
  *            Δ = 0; the last is the maximum
  */
private[chronosketch] final class Tuples extends TupleArrays {

  /** The tuples are the elements 0 until `size` of the arrays. */
  var size = 0

  /** The number of elements that the tuples represent. */
  var count = 0L

  /** Whether tuples may have been dropped. Until then the tuples represent every element exactly. */
  var isThinned = false

  // how often the keys have changed; tells whether the thread's index is still valid
  private var version = 0L

  def isEmpty: Boolean = size == 0
  def sizeBytes: Long = 3 * Meter.longs(keys.length)

  /** Makes room for m tuples. The tuples are lost if the arrays are too short. */
  def reserve(m: Int): Unit = if (keys.length < m) resize(m)

  /** Copies the first m tuples of another into the arrays. */
  def copyOf(that: TupleArrays, m: Int): Unit = {
    reserve(m)
    copyFrom(that, 0, 0, m)
  }

  /** Replaces the tuples by those of the union. Returns whether the arrays were replaced. */
  def assign(union: TupleScratch): Boolean = {
    val m = union.length
    val isResized = keys.length < m || keys.length > 2 * m + 64
    if (isResized) resize(m + m / 4)
    union.copyTo(keys, gs, deltas)
    size = m
    version += 1
    isResized
  }

  /** Takes over the arrays of another, which must not be used again. */
  def take(others: Tuples): Unit = {
    keys = others.keys
    gs = others.gs
    deltas = others.deltas
    size = others.size
    count = others.count
    isThinned = !isExact
    version += 1
  }

  /** Releases unusually large arrays. */
  def trim(): Unit = if (keys.length > TupleScratch.MostKept) {
    keys = Array.emptyLongArray
    gs = Array.emptyLongArray
    deltas = Array.emptyLongArray
  }

  /** Whether the tuples represent every element exactly. */
  def isExact: Boolean = {
    var i = 0
    while (i < size && ((i > 0 && keys(i) == keys(i - 1)) || gs(i) + deltas(i) <= 1)) i += 1
    i == size
  }

  /** Whether [[absorb]] pays off for n buffered keys. So few keys of the first buffers would be absorbed that sorting is quicker. */
  def isAbsorbing(n: Int): Boolean = size > 2 && count >= Tuples.AbsorbFrom * n

  /** Inserts those of the n keys that have two tuples, by adding 1 to g of the second. Moves the other keys to the front of the array
    * and returns their number.
    */
  def absorb(buffered: Array[Long], n: Int): Int = {
    val k = keys
    val g = gs
    val m = size
    val first = k(0)
    val last = k(m - 1)
    var i = 0
    while (i < n && (buffered(i) <= first || buffered(i) > last)) i += 1
    var kept = i
    // if all keys are new minima or maxima, no index is needed
    if (i < n) {
      // search all keys before counting any: whether a key is absorbed is hard to predict, and a mispredicted branch that depends
      // on a search would have to wait for it
      val places = TupleScratch.own.placesFor(n)
      TupleScratch.own.indexOf(k, m, version).successors(buffered, i, n, places)
      while (i < n) {
        val key = buffered(i)
        val s = places(i)
        if (key > first && key <= last && k(s) == key && s + 1 < m && k(s + 1) == key) g(s + 1) += 1
        else { buffered(kept) = key; kept += 1 }
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
        // r_max(first tuple > x) − 1, for the x below this key
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

  /** The number of full buffers in the tuples before [[absorb]] is used. */
  private val AbsorbFrom = 4L
}
