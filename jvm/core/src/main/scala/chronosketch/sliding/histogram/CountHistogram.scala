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

/** Estimates the number of elements as for frames of times, which do not say how many elements have left. See [[CountHistogram]].
  */
private final class ExponentialCount(epsilon: Double) extends FrameNumbers {
  private val histogram = new CountHistogram(epsilon)
  private var arrived, left = 0L

  def append(value: Double): Unit = {
    histogram.append(arrived)
    arrived += 1
  }

  def expire(elements: Long): Unit = {
    left += elements
    histogram.expireBefore(left)
  }

  def count: Long = arrived - left
  def stored: Long = histogram.stored
  def sizeBytes: Long = Meter.ObjectBytes + histogram.sizeBytes

  def answer(question: FrameNumber, into: Bounds): Unit =
    if (question == FrameNumber.Count) histogram.answer(into) else into.refuse(NoAnswer.NotKept)
}

/** Exponential histograms: a [[CountHistogram]] for counts, a [[SumHistogram]] for sums and means. */
object ExponentialHistogram extends NumberStructure("exponential_histogram", "exponential histogram") {
  import FrameNumber._
  def isExact: Boolean = false
  def answers: Set[FrameNumber] = Set(Count, Sum, Mean)
  def of(question: FrameNumber, capacity: Long, slide: Long, epsilon: Double): FrameNumbers =
    if (question == Count) new ExponentialCount(epsilon) else new SumHistogram(epsilon)
}
