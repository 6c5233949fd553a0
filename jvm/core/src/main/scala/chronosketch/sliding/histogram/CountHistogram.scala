package chronosketch.sliding.histogram

import chronosketch.memory.Meter
import chronosketch.sliding.KeyRing

/** Counts elements that have not expired, when they expire by time and are too many to be stored.
  *
  * Guarantee  the count lies between `low` and `high` of the answer; relative error ≤ ε
  * Cost       O(1) per element, amortised; one timestamp per bucket, with at most ⌈1/(2ε)⌉ + 2 buckets of each size 1, 2, 4, …
  * Source     Datar, Gionis, Indyk and Motwani, Maintaining stream statistics over sliding windows, 2002, §3; Meijer 2011, §4.6.1
  *            (docs/algorithms.md, Counts and sums of frames); departs: the answer minimises the relative error and is not T −
  *            L/2
  *
  * A bucket expires with its newest element.
  */
final class CountHistogram(epsilon: Double) {
  private val few = math.ceil(1 / (2 * epsilon)).toInt

  // for each size, by its logarithm: the times of each bucket's newest element
  private var levels = Array(new KeyRing)
  private var total = 0L
  private var oldest = 0 // the highest level that has buckets

  // no remaining element is older
  private var begin = Long.MinValue
  private var expired = Long.MinValue

  /** Adds an element with this time. Times must not decrease. */
  def append(time: Long): Unit = {
    if (total == 0) begin = math.max(begin, time)
    levels(0).append(time)
    total += 1
    var l = 0
    while (levels(l).size > few + 1) {
      if (l + 1 == levels.length) levels = levels :+ new KeyRing
      levels(l + 1).append(levels(l)(1))
      levels(l).removeHead(2)
      l += 1
    }
    oldest = math.max(oldest, l)
  }

  /** Removes the elements before this time. */
  def expireBefore(time: Long): Unit = {
    expired = math.max(expired, time)
    while (total > 0 && levels(oldest)(0) < time) {
      begin = levels(oldest)(0)
      levels(oldest).removeHead(1)
      total -= 1L << oldest
      while (oldest > 0 && levels(oldest).size == 0) oldest -= 1
    }
  }

  def answer(into: Bounds): Unit =
    if (total == 0 || expired <= begin) into.exact(total.toDouble)
    else into.between((total - (1L << oldest) + 1).toDouble, total.toDouble)

  /** Number of buckets. */
  def stored: Long = levels.map(_.size.toLong).sum

  def sizeBytes: Long = Meter.ObjectBytes + Meter.references(levels.length) + levels.map(_.sizeBytes).sum
}
