package chronosketch.quantile

import chronosketch.Refusal
import chronosketch.counted.CountedKeys
import chronosketch.domain.Cast
import chronosketch.memory.Meter
import chronosketch.rank.RankProfile

/** Stores tuples (v, g, Δ) in three arrays, one for each component, and unites sorted lists of tuples.
  *
  * Cost  24 bytes per tuple
  */
private[chronosketch] abstract class TupleArrays {
  var keys, gs, deltas: Array[Long] = Array.emptyLongArray

  /** Replaces the arrays by empty ones of this length. */
  protected def resize(room: Int): Unit = {
    keys = new Array[Long](room)
    gs = new Array[Long](room)
    deltas = new Array[Long](room)
  }

  /** Copies n tuples of another, from its index `from` on, to the index `at` of this one. */
  private[quantile] def copyFrom(that: TupleArrays, from: Int, at: Int, n: Int): Unit = {
    System.arraycopy(that.keys, from, keys, at, n)
    System.arraycopy(that.gs, from, gs, at, n)
    System.arraycopy(that.deltas, from, deltas, at, n)
  }

  /** Writes the union of two lists of tuples from the index `at` on and returns its end. The arrays must have room for it.
    *
    * A tuple keeps g; its Δ grows by g + Δ − 1 of its successor in the other list. If keys are equal, the tuples of `a` come first.
    * If more than two tuples have the same key, all between the first and the last are folded into the last.
    *
    * Which list the next tuple comes from is hard to predict, so it is computed without a branch. Ties are branched on: they are rare
    * or come in runs.
    */
  protected def unite(
      a: TupleArrays,
      aFrom: Int,
      aUntil: Int,
      b: TupleArrays,
      bFrom: Int,
      bUntil: Int,
      at: Int
  ): Int = {
    val ak = a.keys
    val ag = a.gs
    val ad = a.deltas
    val bk = b.keys
    val bg = b.gs
    val bd = b.deltas
    val k = keys
    val g = gs
    val d = deltas
    var i = aFrom
    var j = bFrom
    var o = at
    var last = 0L
    var equal = 0 // how many tuples before this one have its key
    while (i < aUntil && j < bUntil) {
      val ours = ak(i)
      val theirs = bk(j)
      val weightA = ag(i)
      val weightB = bg(j)
      val fromA = if (ours <= theirs) 1 else 0
      val mask = -fromA.toLong
      val key = theirs + ((ours - theirs) & mask)
      val weight = weightB + ((weightA - weightB) & mask)
      k(o) = key
      g(o) = weight
      // its own Δ, and g + Δ − 1 of the other side's next
      d(o) = weightA + ad(i) + weightB + bd(j) - 1 - weight
      i += fromA
      j += 1 - fromA
      if (o > at && key == last) {
        equal += 1
        if (equal == 1) d(o) = 0L
        else {
          o -= 1
          g(o) += g(o + 1)
        }
      } else equal = 0
      last = key
      o += 1
    }
    // only the rest of `b` can have the key of the last tuple: tuples of `a` come first among equal keys
    while (j < bUntil && o > at && bk(j) == last) {
      equal += 1
      if (equal > 1) g(o - 1) += bg(j)
      else {
        k(o) = last
        g(o) = bg(j)
        d(o) = 0L
        o += 1
      }
      j += 1
    }
    copyFrom(a, i, o, aUntil - i)
    o += aUntil - i
    copyFrom(b, j, o, bUntil - j)
    o + bUntil - j
  }

  /** Unites the lists of another two by two. `ends` has the end of each list, and afterwards the end of each union. Returns the number
    * of unions.
    */
  def unitePairs(that: TupleArrays, ends: Array[Int], lists: Int): Int = {
    var start = 0
    var o = 0
    var pairs = 0
    var i = 0
    while (i < lists) {
      val middle = ends(i)
      val end = if (i + 1 < lists) ends(i + 1) else middle
      o = unite(that, start, middle, that, middle, end, o)
      ends(pairs) = o
      pairs += 1
      start = end
      i += 2
    }
    pairs
  }
}

private[quantile] object TupleArrays {

  /** The most elements of a Java array. */
  val MostTuples: Int = Int.MaxValue - 16

  /** Longer arrays are released after use: otherwise one huge sketch would occupy the memory for the life of the thread. */
  val MostKept: Int = 1 << 18

  def requireRoom(tuples: Long): Unit = if (tuples > MostTuples)
    throw Refusal("CHRONOSKETCH_SKETCH_TOO_LARGE", "limit" -> MostTuples.toString)

  /** The index of the first of the sorted keys from `from` until `until` that is not less than `key`. Which half it is in is hard to
    * predict, so it is computed without a branch.
    */
  def lowerBound(keys: Array[Long], from: Int, until: Int, key: Long): Int = {
    var low = from
    var left = until - from
    while (left > 0) {
      val half = (left + 1) >>> 1
      low += (if (keys(low + half - 1) < key) half else 0)
      left -= half
    }
    low
  }
}

/** The tuples of a quantile sketch: some of its values, each with bounds on its rank.
  *
  * Guarantee  tuples (v, g, Δ) in ascending order of v: r_min(i) = Σ_{j≤i} g_j, r_max(i) = r_min(i) + Δ_i
  * Cost       24 bytes per tuple; [[absorb]] searches each key
  * Merge      in [[UnitedTuples]]
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

  // how often the keys have changed; tells whether an index of them is still valid
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

  /** Replaces the tuples by those of the union, which is empty afterwards. */
  def assign(union: UnitedTuples): Unit = {
    val m = union.length
    if (keys.length < m || keys.length > 2 * m + 64) resize(m + m / 4)
    union.moveTo(keys, gs, deltas)
    size = m
    version += 1
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
  def trim(): Unit = if (keys.length > TupleArrays.MostKept) {
    keys = Array.emptyLongArray
    gs = Array.emptyLongArray
    deltas = Array.emptyLongArray
  }

  /** Appends the tuples of a new greatest key: (v, 1, 0) and, if there are more copies, (v, copies − 1, 0). The arrays must have room
    * for both.
    */
  def append(key: Long, copies: Long): Unit = {
    keys(size) = key
    gs(size) = 1L
    size += 1
    if (copies > 1) {
      keys(size) = key
      gs(size) = copies - 1
      size += 1
    }
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
  def absorb(buffered: Array[Long], n: Int, scratch: Scratch): Int = {
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
      val places = scratch.places(n)
      scratch.indexOf(k, m, version).successors(buffered, i, n, places)
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

  /** Returns tuples with cast keys. If keys become equal, the first tuple stays, and all others are folded into the last. */
  def castBy(cast: Cast): Tuples = {
    val others = new Tuples
    others.resize(size)
    others.count = count
    var o = 0
    var i = 0
    while (i < size) {
      val key = cast(keys(i))
      val isEqual = o > 0 && others.keys(o - 1) == key
      if (isEqual && o > 1 && others.keys(o - 2) == key) others.gs(o - 1) += gs(i)
      else {
        others.keys(o) = key
        others.gs(o) = gs(i)
        others.deltas(o) = if (isEqual) 0L else deltas(i)
        o += 1
      }
      i += 1
    }
    others.size = o
    others
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

  /** The number of full buffers in the tuples before [[Tuples.absorb absorb]] is used. */
  private val AbsorbFrom = 4L

  /** Tuples that represent every key with its count. */
  def exact(counted: CountedKeys): Tuples = {
    val tuples = new Tuples
    tuples.reserve(counted.exactTuples.toInt)
    val distinct = counted.distinct
    val keys, copies = new Array[Long](distinct)
    counted.copyTo(keys, copies)
    var i = 0
    while (i < distinct) { tuples.append(keys(i), copies(i)); i += 1 }
    tuples.count = counted.total
    tuples
  }

  /** Tuples of the keys at the ranks 1, 1 + step, …, and of the last key. */
  def atRanks(counted: CountedKeys, step: Long): Tuples = {
    val n = counted.total
    val ranks = new Array[Long](((n + step - 2) / step + 1).toInt)
    var i = 1
    ranks(0) = 1L
    while (i < ranks.length) { ranks(i) = math.min(n, 1 + i * step); i += 1 }
    atRanks(counted, ranks)
  }

  /** Tuples of the keys at the given ranks, which rise from 1 to the last one. */
  def atRanks(counted: CountedKeys, ranks: Array[Long]): Tuples = {
    val tuples = new Tuples
    tuples.reserve(ranks.length)
    val k = tuples.keys
    val g = tuples.gs
    var m = 0
    var last = 0L
    counted.rewind()
    var i = 0
    while (i < ranks.length) {
      val key = counted.seek(ranks(i))
      if (m > 1 && k(m - 1) == key && k(m - 2) == key) g(m - 1) += ranks(i) - last
      else {
        k(m) = key
        g(m) = ranks(i) - last
        m += 1
      }
      last = ranks(i)
      i += 1
    }
    tuples.size = m
    tuples.count = counted.total
    tuples
  }
}
