package chronosketch.quantile

import java.util.Arrays

import chronosketch.sort.KeySort

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
private[quantile] final class KeyBlocks(sorter: KeySort) {
  // between two calls all counts are 0, unless a call failed
  private var isClean = true
  private var counts = new Array[Int](0)
  private var greatest = new Array[Long](0)
  private var crowded = new Array[Long](64)

  // the keys and the g of the tuples that are being built
  private var tupleKeys, weights = new Array[Long](64)

  /** Returns the tuples of the first n keys, or null if sorting all of them is better: if at most `fewest` parts have a key, so that
    * there may be few distinct keys, or if three quarters of the keys are in crowded parts.
    */
  def tuples(keys: Array[Long], n: Int, limit: Long, fewest: Double): Tuples = {
    val most = math.min(limit, n.toLong).toInt
    val parts = if (most < 2 || n < KeyBlocks.Fewest) null else KeyParts.divide(keys, n, most)
    if (parts == null) null
    else {
      reserve(parts.count)
      count(keys, n, parts)
      val inCrowded = countCrowded(parts.count, most, fewest)
      val result =
        if (inCrowded < 0 || inCrowded > n - n / 4) null
        else {
          if (inCrowded > 0) gather(keys, n, parts, most, inCrowded)
          pack(n, parts, most, inCrowded > 0)
        }
      reset(parts.count)
      result
    }
  }

  private def reserve(parts: Int): Unit = {
    if (!isClean) reset(counts.length)
    if (counts.length < parts) {
      counts = new Array[Int](parts)
      greatest = new Array[Long](parts)
      Arrays.fill(greatest, Long.MinValue)
    }
  }

  /** Counts the keys of each part and finds its greatest key. Does not use math.max: the JIT's profile of math.max in other methods,
    * such as [[KeyParts.divide]], would decide whether it becomes a branch here.
    */
  private def count(keys: Array[Long], n: Int, parts: KeyParts): Unit = {
    isClean = false
    val c = counts
    val g = greatest
    val low = parts.least
    val by = parts.shift
    val times = parts.scale
    var i = 0
    while (i < n) {
      val key = keys(i)
      val part = KeyParts.part(key - low, by, times)
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
  private def countCrowded(parts: Int, limit: Int, fewest: Double): Int = {
    val c = counts
    var nonEmpty = 0
    var inCrowded = 0
    var part = 0
    while (part < parts) {
      val size = c(part)
      nonEmpty += -size >>> 31
      inCrowded += size & ((limit - size) >> 31)
      part += 1
    }
    if (nonEmpty <= fewest) -1 else inCrowded
  }

  /** Collects the keys of crowded parts in `crowded` and sorts them. The parts are in order, so each part's keys stay together. */
  private def gather(keys: Array[Long], n: Int, parts: KeyParts, limit: Int, inCrowded: Int): Unit = {
    if (crowded.length <= inCrowded) crowded = new Array[Long](inCrowded + inCrowded / 4 + 1)
    val c = counts
    val to = crowded
    val low = parts.least
    val by = parts.shift
    val times = parts.scale
    var o = 0
    var i = 0
    while (i < n) {
      val key = keys(i)
      // always written, then kept or overwritten: a branch would often be mispredicted
      to(o) = key
      o += (if (c(KeyParts.part(key - low, by, times)) > limit) 1 else 0)
      i += 1
    }
    sorter.sort(crowded, inCrowded)
  }

  /** Combines parts into tuples, in ascending order, while they fit into one. */
  private def pack(n: Int, parts: KeyParts, limit: Int, hasCrowded: Boolean): Tuples = {
    // two neighbouring tuples have more than `limit` elements together, also where a crowded part begins or ends
    val most = (5L * n / limit + 8).toInt
    if (tupleKeys.length < most) {
      tupleKeys = new Array[Long](most)
      weights = new Array[Long](most)
    }
    val packing = new Packing(counts, greatest, crowded, limit, tupleKeys, weights)
    var part = packing.begin(parts.least)
    while (part < parts.count) {
      val next = if (hasCrowded) nextCrowded(part, parts.count, limit) else parts.count
      packing.add(part, next)
      if (next < parts.count) packing.addCrowded(next, 0)
      part = next + 1
    }
    packing.result(n.toLong)
  }

  private def nextCrowded(from: Int, parts: Int, limit: Int): Int = {
    var part = from
    while (part < parts && counts(part) <= limit) part += 1
    part
  }

  /** Resets the first parts, and releases an unusually large array. */
  private def reset(parts: Int): Unit = {
    Arrays.fill(counts, 0, parts, 0)
    Arrays.fill(greatest, 0, parts, Long.MinValue)
    isClean = true
    if (crowded.length > TupleArrays.MostKept) crowded = new Array[Long](64)
  }
}

private object KeyBlocks {

  /** Sorting fewer keys than this is as quick. */
  private val Fewest = 256
}

/** Divides the range of keys into parts of equal width. The part of a key is its distance from the least key, shifted to fit into 31
  * bits, times the number of parts per unit of that distance, which is `scale` / 2³¹.
  */
private final class KeyParts private (val least: Long, val shift: Int, val scale: Long, val count: Int)

private object KeyParts {
  private val MostParts = 1 << 18
  private final val Bits = 31

  /** Divides the range of the first n keys; null if all are equal.
    *
    * There are sixteen parts per tuple, but hardly more than there are keys. Then few parts are crowded, unless the keys are. The
    * number is not rounded down to a power of 2: with half as many, the parts in the middle of a lognormal distribution would be
    * crowded.
    */
  def divide(keys: Array[Long], n: Int, limit: Int): KeyParts = {
    var low = keys(0)
    var high = low
    var i = 1
    while (i < n) {
      val key = keys(i)
      low = math.min(low, key)
      high = math.max(high, key)
      i += 1
    }
    if (low == high) null
    else {
      val wanted = math.min(MostParts.toLong, math.min(16L * n / limit, n + n / 4L))
      // unsigned: the range may not fit 63 bits
      val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(high - low) - Bits)
      val range = (high - low) >>> shift
      val scale = math.min(1L << Bits, (wanted << Bits) / (range + 1))
      new KeyParts(low, shift, scale, part(high - low, shift, scale) + 1)
    }
  }

  /** The part of a key whose distance from the least key is `above`. A greater key is never in a lower part. */
  def part(above: Long, shift: Int, scale: Long): Int = (((above >>> shift) * scale) >>> Bits).toInt
}

/** Combines parts into tuples, in ascending order.
  *
  * @param counts
  *   the number of keys in each part
  * @param greatest
  *   the greatest key of each part
  * @param crowded
  *   the keys of the crowded parts, sorted
  * @param limit
  *   the most elements of a tuple
  * @param k
  *   room for the keys of the tuples
  * @param g
  *   room for their numbers of elements
  */
private final class Packing(
    counts: Array[Int],
    greatest: Array[Long],
    crowded: Array[Long],
    limit: Int,
    k: Array[Long],
    g: Array[Long]
) {
  private var size = 0
  // the next tuple: its number of elements and its key so far
  private var pending = 0
  private var last = 0L
  // the number of keys of crowded parts that have been added
  private var crowdedAdded = 0

  /** Adds the minimum, which has a tuple of its own, and the other keys of the first part if it is crowded. Returns the next part. */
  def begin(least: Long): Int = {
    k(0) = least
    g(0) = 1L
    size = 1
    last = least
    if (counts(0) > limit) {
      addCrowded(0, 1)
      1
    } else {
      // the first part is added with the minimum, which is counted already
      pending = -1
      0
    }
  }

  /** Adds the parts from `from` until `until`. None of them is crowded.
    *
    * Whether a part has keys is hard to predict, so it is computed without a branch. Whether it fits is branched on: most do.
    */
  def add(from: Int, until: Int): Unit = {
    val c = counts
    val ends = greatest
    val toKeys = k
    val toWeights = g
    val most = limit
    var at = size
    var waits = pending
    var key = last
    var part = from
    while (part < until) {
      val count = c(part)
      val together = waits + count
      if (together <= most) waits = together
      else {
        toKeys(at) = key
        toWeights(at) = waits
        at += 1
        waits = count
      }
      key += (ends(part) - key) & (-count >> 31).toLong
      part += 1
    }
    size = at
    pending = waits
    last = key
  }

  /** Adds the keys of a crowded part one by one, without the first `skipped` of them. */
  def addCrowded(part: Int, skipped: Int): Unit = {
    val until = crowdedAdded + counts(part)
    var i = crowdedAdded + skipped
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
    if (k(size - 1) == last) {
      addTuple(last, pending)
      pending = 0
    }
    crowdedAdded = until
  }

  /** Adds a tuple. A third tuple with the same key is folded into the second. */
  private def addTuple(key: Long, weight: Long): Unit =
    if (size > 1 && k(size - 1) == key && k(size - 2) == key) g(size - 1) += weight
    else {
      k(size) = key
      g(size) = weight
      size += 1
    }

  /** The tuples of all n keys. */
  def result(n: Long): Tuples = {
    if (pending > 0) addTuple(last, pending)
    val tuples = new Tuples
    tuples.reserve(size)
    System.arraycopy(k, 0, tuples.keys, 0, size)
    System.arraycopy(g, 0, tuples.gs, 0, size)
    tuples.size = size
    tuples.count = n
    tuples
  }
}
