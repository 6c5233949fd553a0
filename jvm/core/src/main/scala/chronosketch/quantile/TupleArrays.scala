package chronosketch.quantile

/** Where do tuples (v, g, Δ) lie: v in one array, g and Δ at the same places of two others?
  *
  * Cost  24 bytes a tuple
  */
private[chronosketch] abstract class TupleArrays {
  var keys, gs, deltas: Array[Long] = Array.emptyLongArray

  /** Arrays of this length; what the others held is lost. */
  protected def resize(room: Int): Unit = {
    keys = new Array[Long](room)
    gs = new Array[Long](room)
    deltas = new Array[Long](room)
  }

  /** From here on the n tuples of another from `from` on. */
  protected def copyFrom(that: TupleArrays, from: Int, at: Int, n: Int): Unit = {
    System.arraycopy(that.keys, from, keys, at, n)
    System.arraycopy(that.gs, from, gs, at, n)
    System.arraycopy(that.deltas, from, deltas, at, n)
  }

  /** The union of two lists of tuples, from `at` on, where there is room for it; where it ends. A tuple keeps g; its Δ grows by what
    * its successor on the other side leaves in doubt. On equal keys those of `a` come first; of more than two equal ones all between
    * the first and the last are folded into the last.
    *
    * Which side comes next is a coin toss, so it is computed, not branched on; ties are rare or in runs.
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
    var equal = 0 // tuples before this one that have its key: 0, 1, or 2 for more
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
    // only what is left of the others can tie with what went before: of equal keys those of `a` came first
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

  /** The lists of another, which end at `ends`, two by two; where each of the unions ends is put in `ends`, and how many there are is
    * the result.
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

  /** The first of keys in order, from `from` until `until`, that is not less. Which half it is in is a coin toss: computed, not branched
    * on.
    */
  def place(keys: Array[Long], from: Int, until: Int, key: Long): Int = {
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
