package chronosketch.quantile

import chronosketch.Refusal
import chronosketch.sort.KeySort

/** The scratch memory in which lists of tuples are united and thinned before a sketch takes the result. Each thread has one, which
  * the thousands of sketches of a task share.
  */
private[chronosketch] final class TupleScratch extends TupleDropping {
  val sorting: KeySort = KeySort.ofThread

  /** Builds tuples from many unsorted keys. */
  val blocks = new KeyBlocks

  /** The tuples of a stored sketch that is being merged; the arrays of the union are others. */
  val stored = new Tuples

  /** The union of waiting lists. */
  val waiting = new Tuples

  private var index: KeyIndex = null
  private var places = new Array[Int](1024)

  /** An array for the positions of n keys. */
  def placesFor(n: Int): Array[Int] = {
    if (places.length < n) places = new Array[Int](n)
    places
  }

  private var outside = new Array[Long](1024)

  /** An array for n keys that are outside of the range of cells. */
  def outsideFor(n: Int): Array[Long] = {
    if (outside.length < n) outside = new Array[Long](n)
    outside
  }

  /** The index of a sketch's tuples. It is built again if the last one was that of other tuples. Each thread has only one: thousands
    * of indexes would displace the tuples from the caches.
    */
  def indexOf(summaryKeys: Array[Long], size: Int, version: Long): KeyIndex =
    if (size > TupleScratch.MostKept) new KeyIndex(summaryKeys, size, version, isFine = false)
    else {
      val isSame = index != null && index.isOf(summaryKeys, version)
      // used a second time, a finer index pays off
      if (!isSame || !index.isFine) index = new KeyIndex(summaryKeys, size, version, isFine = isSame)
      index
    }

  /** Unites tuples with sorted values. It is [[combine]] for tuples of one element, whose g + Δ − 1 is 0.
    *
    * Which side the next tuple comes from is hard to predict, so it is computed without a branch. Ties are branched on: they are rare
    * or come in runs.
    */
  def insert(a: Tuples, values: Array[Long], count: Int): Unit = {
    val an = a.size
    reserve(an.toLong + count)
    denseGaps.find(a, values, count)
    val ak = a.keys
    val ag = a.gs
    val ad = a.deltas
    val k = keys
    val g = gs
    val d = deltas
    var i = if (count == 0) an else TupleArrays.lowerBound(ak, 0, an, values(0))
    copyFrom(a, 0, 0, i)
    var j = 0
    var o = i
    // the tuples copied so far are below every value, so there are no new ties among them
    var last = if (i > 0) ak(i - 1) else 0L
    var equal = 0 // how many tuples before this one have its key
    while (i < an && j < count) {
      val held = ak(i)
      val value = values(j)
      val others = ag(i) - 1
      val delta = ad(i)
      val fromHeld = if (held <= value) 1 else 0
      val mask = -fromHeld.toLong
      val key = value + ((held - value) & mask)
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
    // the remaining tuples are above every value, so there are no new ties among them
    System.arraycopy(ak, i, k, o, an - i)
    System.arraycopy(ag, i, g, o, an - i)
    System.arraycopy(ad, i, d, o, an - i)
    start = 0
    end = o + an - i
  }

  /** Unites tuples with those of a bag of inserted values. Those in dense gaps stay when tuples are dropped next. */
  def insert(a: Tuples, b: Tuples): Unit = {
    combine(a, b)
    denseGaps.find(a, b.keys, b.size)
  }

  /** Unites two lists of tuples. */
  def combine(a: Tuples, b: Tuples): Unit = {
    denseGaps.clear()
    reserve(a.size.toLong + b.size)
    start = 0
    end = unite(a, 0, a.size, b, 0, b.size, 0)
  }

  /** Unites two lists of tuples. No value of `b` is below the minimum or above the maximum of `a`. */
  def combineWithin(a: Tuples, b: Tuples): Unit = {
    combine(a, b)
    // the first tuple of `a` still is the minimum, so its rank is certain, even if the first tuple of `b` has g > 1
    deltas(start) = 0L
  }

  private def reserve(n: Long): Unit = if (n > keys.length) {
    TupleScratch.requireRoom(n)
    resize(math.min(TupleScratch.MostTuples.toLong, n + n / 4).toInt)
  }

  /** Moves the tuples into the given arrays. The scratch is empty afterwards. */
  def copyTo(k: Array[Long], g: Array[Long], d: Array[Long]): Unit = {
    System.arraycopy(keys, start, k, 0, length)
    System.arraycopy(gs, start, g, 0, length)
    System.arraycopy(deltas, start, d, 0, length)
    start = 0
    end = 0
    if (keys.length > TupleScratch.MostKept) resize(1024)
  }
}

private[chronosketch] object TupleScratch {

  private val ofThread: ThreadLocal[TupleScratch] = ThreadLocal.withInitial(() => new TupleScratch)

  /** The scratch of the current thread. */
  def own: TupleScratch = ofThread.get()

  /** Longer arrays are released after use: otherwise one huge sketch would occupy the memory for the life of the thread. */
  val MostKept: Int = 1 << 18

  /** The most elements of a Java array. */
  val MostTuples: Int = Int.MaxValue - 16

  def requireRoom(tuples: Long): Unit = if (tuples > MostTuples)
    throw Refusal("CHRONOSKETCH_SKETCH_TOO_LARGE", "limit" -> MostTuples.toString)
}
