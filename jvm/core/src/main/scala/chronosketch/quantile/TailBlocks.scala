package chronosketch.quantile

import java.util.Arrays

import chronosketch.rank.Tail
import chronosketch.sort.KeySort

/** Builds the tuples of a tail sketch from unsorted keys by counting them in equal-width ranges, called parts, as [[KeyBlocks]] does.
  *
  * Guarantee  the first tuple is the minimum, the last is the maximum. All have Δ = 0: the ranks of their keys are certain. All gaps
  *            are within the limits. The tuples do not depend on the order of the keys
  * Cost       three passes over the keys and two over the parts; the keys of crowded parts are sorted
  * Units      keys of any domain; the parts divide the range from the least to the greatest key
  *
  * A part is crowded if its keys do not fit into one tuple: near the end of a tail that are a few keys, in the middle many.
  */
private[quantile] final class TailBlocks(sorter: KeySort) {
  // between two calls all counts are 0, unless a call failed. Crowded parts have −1 − count
  private var isClean = true
  private var counts = new Array[Int](0)
  private var greatest = new Array[Long](0)
  private var crowded = new Array[Long](64)

  /** Returns the tuples of the first n keys, or null if sorting all of them is better: if at most `fewest` parts have a key, so that
    * there may be few distinct keys, or if half of the keys are in crowded parts.
    */
  def tuples(keys: Array[Long], n: Int, tail: Tail, limits: GapLimits, fewest: Double): Tuples = {
    val parts = if (n < TailBlocks.Fewest) null else KeyParts.divide(keys, n, TailBlocks.KeysInTuple)
    if (parts == null) null
    else {
      reserve(parts.count)
      count(keys, n, parts)
      val inCrowded = markCrowded(parts.count, n, tail, limits, fewest)
      val result =
        if (inCrowded < 0 || inCrowded > n / 2) null
        else {
          if (inCrowded > 0) gather(keys, n, parts, inCrowded)
          pack(parts, n, tail, limits)
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

  /** Counts the keys of each part and finds its greatest key. */
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
      val most = g(part)
      g(part) = if (key > most) key else most
      i += 1
    }
  }

  /** Marks the parts that do not fit into one tuple. Returns the number of their keys; −1 if at most `fewest` parts have a key.
    *
    * A limit is computed for several parts at once, as if all their keys were on the uncertain side. The marks are set without a
    * branch, so that the JIT vectorises the loops.
    */
  private def markCrowded(parts: Int, n: Int, tail: Tail, limits: GapLimits, fewest: Double): Int = {
    val c = counts
    var nonEmpty = 0
    var inCrowded = 0
    var before = 0
    var from = 0
    while (from < parts) {
      val until = math.min(parts, from + TailBlocks.PartsAtOnce)
      var size = 0
      var part = from
      while (part < until) { size += c(part); part += 1 }
      val most = 1 + limits.spare(tail.nearer(before.toLong, (n - before - size).toLong)).toInt
      part = from
      while (part < until) {
        val keys = c(part)
        val tooMany = (most - keys) >> 31
        nonEmpty += -keys >>> 31
        inCrowded += keys & tooMany
        // −1 − keys if they are too many
        c(part) = keys ^ tooMany
        part += 1
      }
      before += size
      from = until
    }
    if (nonEmpty <= fewest) -1 else inCrowded
  }

  /** Collects the keys of crowded parts in `crowded` and sorts them. The parts are in order, so each part's keys stay together. */
  private def gather(keys: Array[Long], n: Int, parts: KeyParts, inCrowded: Int): Unit = {
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
      o += c(KeyParts.part(key - low, by, times)) >>> 31
      i += 1
    }
    sorter.sort(crowded, inCrowded)
  }

  /** Combines parts, and single keys of crowded parts, into tuples, in ascending order, while they fit into one. */
  private def pack(parts: KeyParts, n: Int, tail: Tail, limits: GapLimits): Tuples = {
    val packing = new TailPacking(parts.least, n, tail, limits)
    var next = 0
    var part = 0
    while (part < parts.count) {
      part = packing.addParts(counts, greatest, part, parts.count)
      if (part < parts.count) {
        val until = next - 1 - counts(part)
        while (next < until) { packing.addKey(crowded(next)); next += 1 }
        part += 1
      }
    }
    packing.result
  }

  /** Resets the first parts, and releases an unusually large array. */
  private def reset(parts: Int): Unit = {
    Arrays.fill(counts, 0, parts, 0)
    Arrays.fill(greatest, 0, parts, Long.MinValue)
    isClean = true
    if (crowded.length > TupleArrays.MostKept) crowded = new Array[Long](64)
  }
}

private object TailBlocks {

  /** Sorting fewer keys than this is as quick. */
  private val Fewest = 256

  /** There are sixteen parts for each tuple of this many keys, but hardly more than there are keys. */
  private val KeysInTuple = 8

  /** The number of parts that get a limit together. */
  private val PartsAtOnce = 64
}

/** Combines parts and single keys into tuples, in ascending order.
  *
  * @param n
  *   the number of all keys, of which `least` is the minimum
  */
private final class TailPacking(least: Long, n: Int, tail: Tail, limits: GapLimits) {
  private val tuples = new TupleList
  tuples.add(least, 1L)

  // the number of elements of all tuples, of the next one, and the most that it may have. The minimum is counted already
  private var before = 1
  private var pending = -1
  private var most = mostAfter(1)
  private var last = least

  /** Adds the parts from `from` on, until the next crowded one. Returns its number, or `until`.
    *
    * Whether a part has keys is hard to predict, so it is computed without a branch. Whether it fits is branched on: most do.
    */
  def addParts(counts: Array[Int], ends: Array[Long], from: Int, until: Int): Int = {
    var waits = pending
    var key = last
    var part = from
    while (part < until && counts(part) >= 0) {
      val size = counts(part)
      val together = waits + size
      if (together <= most) waits = together
      else waits = replacePending(key, waits, size)
      key += (ends(part) - key) & (-size >> 31).toLong
      part += 1
    }
    pending = waits
    last = key
    part
  }

  /** Adds a key of a crowded part. */
  def addKey(key: Long): Unit = {
    pending = if (pending < most) pending + 1 else replacePending(last, pending, 1)
    last = key
  }

  /** Adds the next tuple, if it has elements, and returns the size of the one after it. */
  private def replacePending(key: Long, waits: Int, size: Int): Int =
    if (waits <= 0) waits + size
    else {
      tuples.add(key, waits.toLong)
      before += waits
      most = mostAfter(before)
      size
    }

  /** The most elements of a tuple of several parts if `before` others precede them. The number of elements after the tuple is the
    * least that is possible.
    */
  private def mostAfter(before: Int): Int = {
    val atMost = limits.spare(tail.nearer(before.toLong, (n - before).toLong))
    1 + limits.spare(tail.nearer(before.toLong, math.max(0L, n - before - atMost))).toInt
  }

  def result: Tuples = {
    if (pending > 0) tuples.add(last, pending.toLong)
    tuples.result(n.toLong)
  }
}

/** Collects tuples with certain ranks in ascending order. A third tuple with the same key is folded into the second. */
private final class TupleList {
  private val tuples = new Tuples
  private var k, g = new Array[Long](256)
  private var size = 0

  def add(key: Long, weight: Long): Unit =
    if (size > 1 && k(size - 1) == key && k(size - 2) == key) g(size - 1) += weight
    else {
      if (size == k.length) {
        k = Arrays.copyOf(k, 2 * size)
        g = Arrays.copyOf(g, 2 * size)
      }
      k(size) = key
      g(size) = weight
      size += 1
    }

  def result(count: Long): Tuples = {
    tuples.reserve(size)
    System.arraycopy(k, 0, tuples.keys, 0, size)
    System.arraycopy(g, 0, tuples.gs, 0, size)
    tuples.size = size
    tuples.count = count
    tuples
  }
}
