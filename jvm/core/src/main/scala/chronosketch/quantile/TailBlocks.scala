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

  /** Marks the parts that do not fit into one tuple. Returns the number of their keys; −1 if at most `fewest` parts have a key. */
  private def markCrowded(parts: Int, n: Int, tail: Tail, limits: GapLimits, fewest: Double): Int = {
    val c = counts
    var nonEmpty = 0
    var inCrowded = 0
    var before = 0
    var part = 0
    while (part < parts) {
      val size = c(part)
      if (size > 0) {
        nonEmpty += 1
        if (size - 1 > spare(tail, limits, before, size, n)) {
          inCrowded += size
          c(part) = -1 - size
        }
        before += size
      }
      part += 1
    }
    if (nonEmpty <= fewest) -1 else inCrowded
  }

  /** The most that a tuple of `size` elements may have if `before` others precede them. */
  private def spare(tail: Tail, limits: GapLimits, before: Int, size: Int, n: Int): Long =
    limits.spare(tail.nearer(before.toLong, (n - before - size + 1).toLong))

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
    val c = counts
    val tuples = new TupleList
    tuples.add(parts.least, 1L)
    // the number of elements of all tuples, and of the next one
    var before = 1
    // the minimum is counted already
    var pending = -1
    var last = parts.least
    var next = 0
    def add(key: Long, size: Int): Unit = {
      val together = pending + size
      if (pending > 0 && together - 1 > spare(tail, limits, before, together, n)) {
        tuples.add(last, pending.toLong)
        before += pending
        pending = size
      } else pending = together
      last = key
    }
    var part = 0
    while (part < parts.count) {
      val size = c(part)
      if (size > 0) add(greatest(part), size)
      else if (size < 0) {
        val until = next - 1 - size
        while (next < until) { add(crowded(next), 1); next += 1 }
      }
      part += 1
    }
    if (pending > 0) tuples.add(last, pending.toLong)
    tuples.result(n.toLong)
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
