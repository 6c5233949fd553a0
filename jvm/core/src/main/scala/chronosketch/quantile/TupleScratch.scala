package chronosketch.quantile

import chronosketch.Refusal
import chronosketch.sort.KeySort

/** Where two lists of tuples are united and thinned before a summary takes them: one a thread, so that thousands of summaries
  * in a task share the room.
  */
private[chronosketch] final class TupleScratch {
  val sorting = new KeySort

  /** Where many keys become tuples without being sorted. */
  val blocks = new KeyBlocks

  /** What is being merged from bytes: not where the union is made. */
  val stored = new Tuples
  private var index: KeyIndex = null
  private var places = new Array[Int](1024)

  /** Room for where so many keys belong. */
  def placesFor(n: Int): Array[Int] = {
    if (places.length < n) places = new Array[Int](n)
    places
  }
  private var keys, gs, deltas = new Array[Long](1024)

  // the tuples are elements start until end: dropping works from the right, in place
  private var start = 0
  private var end = 0

  def length: Int = end - start

  /** The index of a summary's tuples, built anew where the last one was of others. One a thread: thousands of indexes would
    * crowd the tuples themselves out of the caches.
    */
  def indexOf(summaryKeys: Array[Long], size: Int, version: Long): KeyIndex =
    if (size > TupleScratch.MostKept) new KeyIndex(summaryKeys, size, version, isFine = false)
    else {
      val isSame = index != null && index.isOf(summaryKeys, version)
      // asked for again, it is worth a finer one
      if (!isSame || !index.isFine) index = new KeyIndex(summaryKeys, size, version, isFine = isSame)
      index
    }

  /** The union of tuples with plain values in order: [[combine]] for tuples of one element, whose g + Δ − 1 is 0.
    *
    * Which side comes next is a coin toss, so it is computed, not branched on; ties are rare or in runs.
    */
  def insert(a: Tuples, values: Array[Long], count: Int): Unit = {
    val an = a.size
    reserve(an.toLong + count)
    val ak = a.keys
    val ag = a.gs
    val ad = a.deltas
    val k = keys
    val g = gs
    val d = deltas
    var i = 0
    var j = 0
    var o = 0
    var last = 0L
    var equal = 0 // tuples before this one that have its key: 0, 1, or 2 for more
    while (i < an && j < count) {
      val held = ak(i)
      val value = values(j)
      val others = ag(i) - 1
      val delta = ad(i)
      val fromHeld = if (held <= value) 1 else 0
      val mask = -fromHeld.toLong
      val key = math.min(held, value)
      k(o) = key
      g(o) = 1 + (others & mask)
      d(o) = delta + (others & ~mask)
      i += fromHeld
      j += 1 - fromHeld
      if (o > 0 && key == last) {
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
    while (j < count) {
      val value = values(j)
      if (o > 0 && value == last) equal += 1 else equal = 0
      if (equal > 1) g(o - 1) += 1
      else {
        k(o) = value
        g(o) = 1L
        d(o) = 0L
        o += 1
      }
      last = value
      j += 1
    }
    // greater than every value: no tie is new
    System.arraycopy(ak, i, k, o, an - i)
    System.arraycopy(ag, i, g, o, an - i)
    System.arraycopy(ad, i, d, o, an - i)
    start = 0
    end = o + an - i
  }

  /** The union of two lists of tuples. A tuple keeps g; its Δ grows by what its successor on the other side leaves in doubt. On
    * equal keys those of `a` come first; of more than two equal ones all between the first and the last are folded into the last.
    */
  def combine(a: Tuples, b: Tuples): Unit = {
    val an = a.size
    val bn = b.size
    reserve(an.toLong + bn)
    val ak = a.keys
    val ag = a.gs
    val ad = a.deltas
    val bk = b.keys
    val bg = b.gs
    val bd = b.deltas
    val k = keys
    val g = gs
    val d = deltas
    var i = 0
    var j = 0
    var o = 0
    var last = 0L
    var equal = 0 // as in insert
    while (i < an && j < bn) {
      val ours = ak(i)
      val theirs = bk(j)
      val weightA = ag(i)
      val weightB = bg(j)
      val fromA = if (ours <= theirs) 1 else 0
      val mask = -fromA.toLong
      val key = math.min(ours, theirs)
      val weight = weightB + ((weightA - weightB) & mask)
      k(o) = key
      g(o) = weight
      // its own Δ, and g + Δ − 1 of the other side's next
      d(o) = weightA + ad(i) + weightB + bd(j) - 1 - weight
      i += fromA
      j += 1 - fromA
      if (o > 0 && key == last) {
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
    while (j < bn && o > 0 && bk(j) == last) {
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
    append(o, ak, ag, ad, i, an)
    append(o + an - i, bk, bg, bd, j, bn)
    start = 0
    end = o + an - i + bn - j
  }

  private def append(
      at: Int,
      k: Array[Long],
      g: Array[Long],
      d: Array[Long],
      from: Int,
      until: Int
  ): Unit = {
    System.arraycopy(k, from, keys, at, until - from)
    System.arraycopy(g, from, gs, at, until - from)
    System.arraycopy(d, from, deltas, at, until - from)
  }

  private def reserve(n: Long): Unit = if (n > keys.length) {
    if (n > TupleScratch.MostTuples) {
      throw Refusal("CHRONOSKETCH_SKETCH_TOO_LARGE", "limit" -> TupleScratch.MostTuples.toString)
    }
    resize(math.min(TupleScratch.MostTuples.toLong, n + n / 4).toInt)
  }

  /** Drops tuples into their successors while inserting, where E is `limit`. A successor of small Δ, one that has seen few
    * neighbours dropped, is only filled to ⅔E: the rest is left for absorption.
    */
  def drop(limit: Long): Unit = if (limit > 1) dropWithin(2 * limit / 3, limit)

  /** Drops with the smallest limit, from the largest g + Δ there is up to `most`, that leaves at most `target` tuples; with
    * `most` where none does.
    */
  def dropTo(target: Int, most: Long): Unit = {
    var low = math.min(most, largest)
    var high = most
    while (low < high) {
      val mid = low + (high - low) / 2
      if (left(mid, target) <= target) high = mid else low = mid + 1
    }
    dropWithin(high, high)
  }

  /** The largest g + Δ where the key differs from the one before: what the certificate comes from. */
  private def largest: Long = {
    var most = 1L
    var i = start
    while (i < end) {
      if ((i == start || keys(i) != keys(i - 1)) && gs(i) + deltas(i) > most) most = gs(i) + deltas(i)
      i += 1
    }
    most
  }

  /** How many tuples `dropWithin(limit, limit)` would leave: as soon as they are more than `most`, just that. */
  private def left(limit: Long, most: Int): Int = {
    val k = keys
    val g = gs
    val d = deltas
    var key = k(end - 1)
    var weight = g(end - 1)
    var delta = d(end - 1)
    var count = 2
    var r = end - 2
    while (r > start && count <= most) {
      val pair = k(r) == key
      val total = g(r) + weight
      val joined = if (pair) math.max(0L, d(r) - weight) else delta
      // computed, not branched on, as in dropWithin; of two that are left the second is the last
      val fits = total + joined <= limit && !(pair && count == 2)
      key = if (fits) key else k(r)
      weight = if (fits) total else g(r)
      delta = if (fits) joined else d(r)
      count += (if (fits) 0 else 1)
      r -= 1
    }
    count
  }

  /** From right to left, each tuple into its successor where g + g' + Δ' stays within the limit for Δ'. Never the first, nor
    * anything into it: it is the minimum. Never a pair into the last, whose Δ is 0: it is the maximum.
    */
  private def dropWithin(lower: Long, limit: Long): Unit = if (length > 2) {
    val k = keys
    val g = gs
    val d = deltas
    val half = lower / 2
    val last = end - 1
    var w = last
    // the tuple at w, the successor of the one at r
    var key = k(last)
    var weight = g(last)
    var delta = d(last)
    var r = end - 2
    while (r > start) {
      val pair = k(r) == key
      val total = g(r) + weight
      // of a pair made one, the Δ that keeps the first's r_max
      val joined = if (pair) math.max(0L, d(r) - weight) else delta
      val allowed = if (joined <= half) lower else limit
      // as likely as not: computed, not branched on
      val fits = total + joined <= allowed && !(pair && w == last)
      key = if (fits) key else k(r)
      weight = if (fits) total else g(r)
      delta = if (fits) joined else d(r)
      val stays = if (fits) 0 else 1
      w -= stays
      k(w) = key
      g(w) = weight
      d(w) = delta
      r -= 1
    }
    w -= 1
    k(w) = k(start)
    g(w) = g(start)
    d(w) = d(start)
    start = w
  }

  def copyTo(k: Array[Long], g: Array[Long], d: Array[Long]): Unit = {
    System.arraycopy(keys, start, k, 0, length)
    System.arraycopy(gs, start, g, 0, length)
    System.arraycopy(deltas, start, d, 0, length)
    start = 0
    end = 0
    if (keys.length > TupleScratch.MostKept) resize(1024)
  }

  private def resize(room: Int): Unit = {
    keys = new Array[Long](room)
    gs = new Array[Long](room)
    deltas = new Array[Long](room)
  }
}

private[chronosketch] object TupleScratch {

  private val ofThread: ThreadLocal[TupleScratch] = ThreadLocal.withInitial(() => new TupleScratch)

  /** That of the thread. */
  def own: TupleScratch = ofThread.get()

  /** Room for more than this is given back after use: a single giant must not hold it for the life of the thread. */
  val MostKept: Int = 1 << 18

  /** Two arrays' worth in a Java array. */
  val MostTuples: Int = Int.MaxValue - 16
}
