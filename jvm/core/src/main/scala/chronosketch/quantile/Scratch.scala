package chronosketch.quantile

import chronosketch.sort.KeySort

/** The working memory for flushing and merging sketches. The thousands of sketches of a task use it one after another.
  *
  * A sketch gets the scratch of its thread when it sorts, flushes or merges, and passes it on.
  */
private[chronosketch] final class Scratch {
  val sorter: KeySort = KeySort.ofThread

  /** Builds tuples from many unsorted keys. */
  val blocks = new KeyBlocks(sorter)

  /** Builds tuples of tail sketches from many unsorted keys. */
  val tailBlocks = new TailBlocks(sorter)

  /** The union that is being made. */
  val united = new UnitedTuples

  /** The tuples of a stored sketch that is being merged. */
  val stored = new Tuples

  /** The union of waiting lists. */
  val drained = new Tuples

  private var index: KeyIndex = null
  private var placesOfKeys = new Array[Int](1024)
  private var keysOutside = new Array[Long](1024)

  /** An array for the positions of n keys. */
  def places(n: Int): Array[Int] = {
    if (placesOfKeys.length < n) placesOfKeys = new Array[Int](n)
    placesOfKeys
  }

  /** An array for n keys that are outside of the range of cells. */
  def outside(n: Int): Array[Long] = {
    if (keysOutside.length < n) keysOutside = new Array[Long](n)
    keysOutside
  }

  /** The index of a sketch's tuples. It is built again if the last one was that of other tuples. There is only one: thousands of
    * indexes would displace the tuples from the caches.
    */
  def indexOf(keys: Array[Long], size: Int, version: Long): KeyIndex =
    if (size > TupleArrays.MostKept) new KeyIndex(keys, size, version, isFine = false)
    else {
      val isSame = index != null && index.isOf(keys, version)
      // used a second time, a finer index pays off
      if (!isSame || !index.isFine) index = new KeyIndex(keys, size, version, isFine = isSame)
      index
    }
}

private[chronosketch] object Scratch {
  private val threadLocal: ThreadLocal[Scratch] = ThreadLocal.withInitial(() => new Scratch)

  /** The scratch of the current thread. With a new scratch for each merge, MergeBenchmark with shape=small takes 1.9 times as long. */
  def ofThread: Scratch = threadLocal.get()
}

/** Finds the position of a key among sorted keys.
  *
  * Cost  a look-up: one table access and a search within a cell, one or two steps for most keys and O(log m) for any. Building
  *       the table: a pass over the keys and the table, and 8 to 16 bytes per key. A fine table takes four times the memory, and
  *       needs no search for most keys
  *
  * The table divides the range of the keys into cells of equal width, without the outermost keys: otherwise an infinity, a NaN or
  * a 1e300 could leave all other keys in one cell. Offsets are unsigned, since the range may exceed 63 bits.
  */
private[chronosketch] final class KeyIndex(keys: Array[Long], size: Int, version: Long, val isFine: Boolean) {
  private val outer = size / KeyIndex.OuterShare
  private val least = keys(outer)
  private val greatest = keys(size - 1 - outer)
  private val bits = math.min(24, math.max(6, (if (isFine) 35 else 33) - Integer.numberOfLeadingZeros(size)))
  private val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(greatest - least) - bits)
  // the keys of a cell begin at its entry and end at the next one. They are counted, then summed: that needs no branch
  private val cells: Array[Int] = {
    val table = new Array[Int](cellOf(greatest) + 2)
    var i = 0
    while (i < size) { table(cellOf(keys(i)) + 1) += 1; i += 1 }
    var sum = 0
    i = 1
    while (i < table.length) { sum += table(i); table(i) = sum; i += 1 }
    table
  }

  /** Whether the index was built from these keys and they have not changed since. */
  def isOf(otherKeys: Array[Long], otherVersion: Long): Boolean =
    (keys eq otherKeys) && version == otherVersion

  private def cellOf(key: Long): Int = ((math.min(math.max(key, least), greatest) - least) >>> shift).toInt

  /** For each of the searched keys from `from` until `until`, finds the index of the first key that is not less. Finds an arbitrary
    * index for a key outside of the range of all keys.
    *
    * Most cells of a fine table are empty, so the branch on that is mostly predicted right. Many cells of a coarse table contain a
    * key; which side of it the searched key lies on is hard to predict, so that is computed without a branch.
    */
  def successors(searched: Array[Long], from: Int, until: Int, into: Array[Int]): Unit = {
    val table = cells
    var i = from
    while (i < until) {
      val key = searched(i)
      val cell = cellOf(key)
      val begin = table(cell)
      val end = table(cell + 1)
      into(i) = if (begin == end) begin
      else TupleArrays.lowerBound(keys, begin + KeyIndex.less(keys(begin), key), end, key)
      i += 1
    }
  }
}

private[chronosketch] object KeyIndex {

  /** One in this many of the keys is left out at either end; these keys fall into the first and the last cell. */
  private val OuterShare = 64

  /** 1 if a < b, otherwise 0: the sign of a − b, or that of a if the difference overflows (Warren, Hacker's Delight, §2-12). */
  private def less(a: Long, b: Long): Int = (((a & ~b) | (~(a ^ b) & (a - b))) >>> 63).toInt
}
