package chronosketch.counted

import java.util.Arrays

import chronosketch.Refusal
import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** A hash table that counts how often each key occurs.
  *
  * Guarantee  exact; [[sorted]] does not depend on the order of arrival
  * Cost       a multiplication and mostly one cache line per key; 32 to 64 bytes per distinct key
  * Units      counts; the caller keeps their sum below 2⁶³
  * Merge      counts of equal keys are added
  * Source     Lim et al. 2019, §3.1, {value, count}; departs: open addressing instead of a red-black tree, because
  *            the order is needed only once
  *
  * A slot is a key and its count, side by side; a slot with count 0 is free. At most half of the slots are taken.
  */
private[chronosketch] final class FrequencyTable {
  private var slots = new Array[Long](2 * FrequencyTable.FewestSlots)
  private var shift = FrequencyTable.shiftOf(FrequencyTable.FewestSlots)
  private var taken = 0

  /** The number of distinct keys. */
  def distinct: Int = taken

  def sizeBytes: Long = Meter.longs(slots.length)

  /** Adds `copies` ≥ 1 occurrences of a key. */
  def add(key: Long, copies: Long): Unit = {
    val s = slots
    val mask = s.length - 1
    var at = ((key * FrequencyTable.Multiplier) >>> shift).toInt << 1
    while (s(at + 1) != 0L && s(at) != key) at = (at + 2) & mask
    if (s(at + 1) == 0L) {
      s(at) = key
      taken += 1
    }
    s(at + 1) += copies
    if (4L * taken > s.length) reserve(taken + 1L)
  }

  /** Adds all counts of another table. Reserves slots first: the keys come in the slot order of the other table, and would
    * crowd at one end of a table that grows meanwhile.
    */
  def addAll(that: FrequencyTable): Unit = {
    reserve(taken.toLong + that.taken)
    val s = that.slots
    var at = 0
    while (at < s.length) {
      if (s(at + 1) != 0L) add(s(at), s(at + 1))
      at += 2
    }
  }

  def clear(): Unit = {
    Arrays.fill(slots, 0L)
    taken = 0
  }

  /** Makes the table large enough for `keys` distinct keys. */
  def reserve(keys: Long): Unit = {
    var capacity = slots.length / 2
    while (2 * keys > capacity) {
      if (capacity == FrequencyTable.MostSlots)
        throw Refusal("CHRONOSKETCH_SKETCH_TOO_LARGE", "limit" -> (FrequencyTable.MostSlots / 2).toString)
      capacity *= 2
    }
    if (2 * capacity > slots.length) {
      val before = slots
      slots = new Array[Long](2 * capacity)
      shift = FrequencyTable.shiftOf(capacity)
      taken = 0
      var at = 0
      while (at < before.length) {
        if (before(at + 1) != 0L) add(before(at), before(at + 1))
        at += 2
      }
    }
  }

  /** Copies the keys in ascending order with their counts. */
  def sorted: SortedCounts = {
    val keys, counts = new Array[Long](taken)
    val s = slots
    var at = 0
    var o = 0
    while (o < taken) {
      if (s(at + 1) != 0L) {
        keys(o) = s(at)
        counts(o) = s(at + 1)
        o += 1
      }
      at += 2
    }
    new PairSort().sort(keys, counts, taken)
    new SortedCounts(keys, counts)
  }
}

private[chronosketch] object FrequencyTable {
  private val FewestSlots = 16
  private val MostSlots = 1 << 29

  /** 2⁶⁴ divided by the golden ratio. The upper bits of the product differ for keys that are near each other. */
  private val Multiplier = 0x9e3779b97f4a7c15L

  private def shiftOf(capacity: Int): Int = 64 - Integer.numberOfTrailingZeros(capacity)
}

/** Distinct keys in ascending order with their counts. */
private[chronosketch] final class SortedCounts(val keys: Array[Long], val counts: Array[Long]) {

  /** For each key, the number of elements that are not above it. */
  private lazy val upTo: Array[Long] = {
    val sums = counts.clone()
    var i = 1
    while (i < sums.length) { sums(i) += sums(i - 1); i += 1 }
    sums
  }

  /** The key at a rank, counted from 1 at the least key. */
  def at(rank: Long): Long = {
    val i = Arrays.binarySearch(upTo, rank)
    keys(if (i >= 0) i else -i - 1)
  }

  /** The keys at the n ranks first, first + step, …, counted from 1 at the greatest key. */
  def fromTop(first: Long, step: Long, n: Int): Array[Long] = {
    val found = new Array[Long](n)
    var i = keys.length - 1
    var upTo = counts(i)
    var rank = first
    var o = 0
    while (o < n) {
      while (upTo < rank) {
        i -= 1
        upTo += counts(i)
      }
      found(o) = keys(i)
      rank += step
      o += 1
    }
    found
  }
}
