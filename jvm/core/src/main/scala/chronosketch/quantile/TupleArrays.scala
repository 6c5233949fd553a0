package chronosketch.quantile

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
  protected def copyFrom(that: TupleArrays, from: Int, at: Int, n: Int): Unit = {
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
