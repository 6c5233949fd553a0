package chronosketch.quantile

import java.util.Arrays

/** Builds tuples from unsorted keys by counting them in equal-width ranges, called parts, instead of sorting them.
  *
  * Guarantee  the first tuple is the minimum, the last is the maximum. Each has at most `limit` elements and Δ = 0: the ranks of
  *            their keys are certain. The tuples do not depend on the order of the keys
  * Cost       three passes over the keys and one over the parts; the keys of crowded parts are sorted
  * Units      keys of any domain; the parts divide the range from the least to the greatest key
  *
  * The key of a tuple is the greatest key of a part, so keys within a part need no order while the part has at most `limit` keys. A
  * part with more is crowded. The arrays are used again for the next keys.
  */
private[quantile] final class KeyBlocks {
  // between two calls all counts are 0, unless a call failed
  private var isClean = true
  private var counts = new Array[Int](0)
  private var greatest = new Array[Long](0)
  private var crowded = new Array[Long](64)

  // the tuples so far: their keys, their g and their number
  private var k, g = new Array[Long](64)
  private var o = 0
  // the next tuple: its number of elements and its key so far
  private var pending = 0
  private var last = 0L
  // the number of keys of crowded parts that have been used
  private var crowdedUsed = 0

  private var least = 0L
  private var most = 0L
  // the part of a key is its distance from the least key, shifted to fit into 31 bits, times the number of parts per unit of that
  // distance, which is `scale` / 2³¹
  private var shift = 0
  private var scale = 0L
  private var parts = 0

  /** Returns the tuples of the first n keys, or null if sorting all of them is better: if at most `fewest` parts have a key, so that
    * there may be few distinct keys, or if three quarters of the keys are in crowded parts.
    */
  def tuples(keys: Array[Long], n: Int, limit: Long, fewest: Double): Tuples =
    tuples(keys, n, math.min(limit, n.toLong).toInt, fewest)

  private def tuples(keys: Array[Long], n: Int, limit: Int, fewest: Double): Tuples =
    if (limit < 2 || n < KeyBlocks.Fewest) null
    else {
      findRange(keys, n)
      if (least == most) null
      else {
        if (!isClean) reset(counts.length)
        partition(n, limit)
        count(keys, n)
        val inCrowded = countCrowded(limit, fewest)
        if (inCrowded < 0 || inCrowded > n - n / 4) {
          reset(parts)
          null
        } else {
          if (inCrowded > 0) gather(keys, n, limit, inCrowded)
          pack(n, limit, inCrowded > 0)
        }
      }
    }

  private def findRange(keys: Array[Long], n: Int): Unit = {
    var low = keys(0)
    var high = low
    var i = 1
    while (i < n) {
      val key = keys(i)
      low = math.min(low, key)
      high = math.max(high, key)
      i += 1
    }
    least = low
    most = high
  }

  /** Chooses the number of parts: sixteen per tuple, but hardly more than there are keys. Then few parts are crowded, unless the keys
    * are. The number is not rounded down to a power of 2: with half as many, the parts in the middle of a lognormal distribution
    * would be crowded.
    */
  private def partition(n: Int, limit: Int): Unit = {
    val wanted = math.min(KeyBlocks.MostParts.toLong, math.min(16L * n / limit, n + n / 4L))
    // unsigned: the range may not fit 63 bits
    shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(most - least) - KeyBlocks.Bits)
    val range = (most - least) >>> shift
    scale = math.min(1L << KeyBlocks.Bits, (wanted << KeyBlocks.Bits) / (range + 1))
    parts = partOf(most) + 1
    if (counts.length < parts) {
      counts = new Array[Int](parts)
      greatest = new Array[Long](parts)
      Arrays.fill(greatest, Long.MinValue)
    }
  }

  private def partOf(key: Long): Int = KeyBlocks.part(key - least, shift, scale)

  /** Counts the keys of each part and finds its greatest key. Does not use math.max: the JIT's profile of math.max in other methods,
    * such as [[findRange]], would decide whether it becomes a branch here.
    */
  private def count(keys: Array[Long], n: Int): Unit = {
    isClean = false
    val c = counts
    val g = greatest
    val low = least
    val by = shift
    val times = scale
    var i = 0
    while (i < n) {
      val key = keys(i)
      val part = KeyBlocks.part(key - low, by, times)
      c(part) += 1
      val greatest = g(part)
      g(part) = if (key > greatest) key else greatest
      i += 1
    }
  }

  /** The number of keys in crowded parts; −1 if at most `fewest` parts have a key.
    *
    * Shifts the sign instead of comparing, so that the JIT vectorises the loop.
    */
  private def countCrowded(limit: Int, fewest: Double): Int = {
    val c = counts
    val until = parts
    var nonEmpty = 0
    var inCrowded = 0
    var part = 0
    while (part < until) {
      val size = c(part)
      nonEmpty += -size >>> 31
      inCrowded += size & ((limit - size) >> 31)
      part += 1
    }
    if (nonEmpty <= fewest) -1 else inCrowded
  }

  /** Collects the keys of crowded parts in `crowded` and sorts them. The parts are in order, so each part's keys stay together. */
  private def gather(keys: Array[Long], n: Int, limit: Int, inCrowded: Int): Unit = {
    if (crowded.length <= inCrowded) crowded = new Array[Long](inCrowded + inCrowded / 4 + 1)
    val c = counts
    val to = crowded
    val low = least
    val by = shift
    val times = scale
    var o = 0
    var i = 0
    while (i < n) {
      val key = keys(i)
      // always written, then kept or overwritten: a branch would often be mispredicted
      to(o) = key
      o += (if (c(KeyBlocks.part(key - low, by, times)) > limit) 1 else 0)
      i += 1
    }
    TupleScratch.own.sorting.sort(crowded, inCrowded)
  }

  /** Combines parts into tuples, in ascending order, while they fit into one. */
  private def pack(n: Int, limit: Int, hasCrowded: Boolean): Tuples = {
    // two neighbouring tuples have more than `limit` elements together, also where a crowded part begins or ends
    reserve((5L * n / limit + 8).toInt)
    // the minimum has a tuple of its own
    k(0) = least
    g(0) = 1L
    o = 1
    crowdedUsed = 0
    last = least
    pending = 0
    var part = 0
    if (counts(0) > limit) part = packCrowded(0, 1, limit)
    else pending -= 1
    while (part < parts) {
      val next = if (hasCrowded) nextCrowded(part, limit) else parts
      packRun(part, next, limit)
      part = if (next < parts) packCrowded(next, 0, limit) else next
    }
    if (pending > 0) addTuple(last, pending)
    reset(parts)
    val tuples = new Tuples
    tuples.reserve(o)
    System.arraycopy(k, 0, tuples.keys, 0, o)
    System.arraycopy(g, 0, tuples.gs, 0, o)
    tuples.size = o
    tuples.count = n.toLong
    tuples
  }

  private def nextCrowded(from: Int, limit: Int): Int = {
    var part = from
    while (part < parts && counts(part) <= limit) part += 1
    part
  }

  /** Combines parts into tuples. None of the parts is crowded.
    *
    * Whether a part has keys is hard to predict, so it is computed without a branch. Whether it fits is branched on: most do.
    */
  private def packRun(from: Int, until: Int, limit: Int): Unit = {
    val c = counts
    val ends = greatest
    val toKeys = k
    val toWeights = g
    var at = o
    var waits = pending
    var key = last
    var part = from
    while (part < until) {
      val size = c(part)
      val together = waits + size
      if (together <= limit) waits = together
      else {
        toKeys(at) = key
        toWeights(at) = waits
        at += 1
        waits = size
      }
      key += (ends(part) - key) & (-size >> 31).toLong
      part += 1
    }
    o = at
    pending = waits
    last = key
  }

  /** Adds the keys of a crowded part one by one, without the first `skipped` of them. Returns the next part. */
  private def packCrowded(part: Int, skipped: Int, limit: Int): Int = {
    val until = crowdedUsed + counts(part)
    var i = crowdedUsed + skipped
    while (i < until) {
      if (pending == limit) {
        addTuple(last, pending)
        pending = 0
      }
      pending += 1
      last = crowded(i)
      i += 1
    }
    // if the last key has a tuple already, its other copies get the second one
    if (k(o - 1) == last) {
      addTuple(last, pending)
      pending = 0
    }
    crowdedUsed = until
    part + 1
  }

  /** Adds a tuple. A third tuple with the same key is folded into the second. */
  private def addTuple(key: Long, weight: Long): Unit =
    if (o > 1 && k(o - 1) == key && k(o - 2) == key) g(o - 1) += weight
    else {
      k(o) = key
      g(o) = weight
      o += 1
    }

  private def reserve(tuples: Int): Unit = if (k.length < tuples) {
    k = new Array[Long](tuples)
    g = new Array[Long](tuples)
  }

  /** Resets the parts before `until`, and releases an unusually large array. */
  private def reset(until: Int): Unit = {
    Arrays.fill(counts, 0, until, 0)
    Arrays.fill(greatest, 0, until, Long.MinValue)
    isClean = true
    if (crowded.length > TupleScratch.MostKept) crowded = new Array[Long](64)
  }
}

private[quantile] object KeyBlocks {

  /** Sorting fewer keys than this is as quick. */
  private val Fewest = 256
  private val MostParts = 1 << 18
  private final val Bits = 31

  /** The part of a key whose distance from the least key is `above`. A greater key is never in a lower part. */
  private def part(above: Long, shift: Int, scale: Long): Int = (((above >>> shift) * scale) >>> Bits).toInt
}
