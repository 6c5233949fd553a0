package chronosketch.quantile

import chronosketch.Refusal
import chronosketch.sort.KeySort

/** Where two lists of tuples are united and thinned before a summary takes them: one a thread, so that thousands of summaries
  * in a task share the room.
  */
private[chronosketch] final class TupleScratch extends TupleDropping {
  val sorting: KeySort = KeySort.own

  /** Where many keys become tuples without being sorted. */
  val blocks = new KeyBlocks

  /** What is being merged from bytes: not where the union is made. */
  val stored = new Tuples

  /** Where lists that wait are united. */
  val waiting = new Tuples

  private var index: KeyIndex = null
  private var places = new Array[Int](1024)

  /** Room for where so many keys belong. */
  def placesFor(n: Int): Array[Int] = {
    if (places.length < n) places = new Array[Int](n)
    places
  }

  private var outside = new Array[Long](1024)

  /** Room for so many keys that are not counted in cells. */
  def outsideFor(n: Int): Array[Long] = {
    if (outside.length < n) outside = new Array[Long](n)
    outside
  }

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
    crowds.find(a, values, count)
    val ak = a.keys
    val ag = a.gs
    val ad = a.deltas
    val k = keys
    val g = gs
    val d = deltas
    var i = if (count == 0) an else TupleArrays.place(ak, 0, an, values(0))
    copyFrom(a, 0, 0, i)
    var j = 0
    var o = i
    // less than every value: no tie is new
    var last = if (i > 0) ak(i - 1) else 0L
    var equal = 0 // tuples before this one that have its key: 0, 1, or 2 for more
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
    // greater than every value: no tie is new
    System.arraycopy(ak, i, k, o, an - i)
    System.arraycopy(ag, i, g, o, an - i)
    System.arraycopy(ad, i, d, o, an - i)
    start = 0
    end = o + an - i
  }

  /** The union with the tuples of values that came together: what is a crowd among them stays for a pass. */
  def insert(a: Tuples, b: Tuples): Unit = {
    combine(a, b)
    crowds.find(a, b.keys, b.size)
  }

  /** The union of two lists of tuples. */
  def combine(a: Tuples, b: Tuples): Unit = {
    crowds.clear()
    reserve(a.size.toLong + b.size)
    start = 0
    end = unite(a, 0, a.size, b, 0, b.size, 0)
  }

  /** The union with the tuples of values of which none is less than the minimum or greater than the maximum. */
  def combineWithin(a: Tuples, b: Tuples): Unit = {
    combine(a, b)
    // it stays the minimum, whatever the other side leaves in doubt
    deltas(start) = 0L
  }

  private def reserve(n: Long): Unit = if (n > keys.length) {
    TupleScratch.requireRoom(n)
    resize(math.min(TupleScratch.MostTuples.toLong, n + n / 4).toInt)
  }

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

  /** That of the thread. */
  def own: TupleScratch = ofThread.get()

  /** Room for more than this is given back after use: a single giant must not hold it for the life of the thread. */
  val MostKept: Int = 1 << 18

  /** Two arrays' worth in a Java array. */
  val MostTuples: Int = Int.MaxValue - 16

  def requireRoom(tuples: Long): Unit = if (tuples > MostTuples)
    throw Refusal("CHRONOSKETCH_SKETCH_TOO_LARGE", "limit" -> MostTuples.toString)
}
