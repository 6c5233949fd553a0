package chronosketch.sliding.histogram

import chronosketch.memory.Meter

/** Estimates the variance of a frame's numbers when they are too many to be stored.
  *
  * Guarantee  the variance lies between `low` and `high` of the answer; relative error ≤ ε ≤ 1, plus rounding. The mean has
  *            bounds, but no ε
  * Cost       O(1) per number and per query, amortised; 40 bytes per bucket, O(1/ε² · log(M2 / square of the steps)) buckets, and
  *            up to half as many for numbers that are not merged yet
  * Source     Babcock, Datar, Motwani and O'Callaghan, Maintaining variance and k-medians over data stream windows, 2003, §2;
  *            Meijer 2011, §4.6.2; departs: the contribution of the oldest bucket is bounded ([[CutBucket]]) instead of estimated
  *            as half of its M2; this allows (1 + 3ε/2)/ε² in place of 9/ε², a ninth of the buckets
  *
  * The M2 of a bucket is at most ε²/(1 + 3ε/2) times the M2 of what came after it. The latter only grows, because every number
  * adds to M2. While a NaN or an infinity is in the frame there is no answer; the number before it is stored in its place, so
  * that answers return once it has left.
  */
final class VarianceHistogram(epsilon: Double) extends FrameNumbers {
  private val k = (1 + 1.5 * epsilon) / (epsilon * epsilon)

  // one entry per bucket, oldest first
  private var counts = new Array[Long](VarianceHistogram.Fewest)
  private var means, m2s = new Array[Double](VarianceHistogram.Fewest)
  private var head, end = 0

  // at the last merge of buckets: their number, the number of elements, and for each bucket mean and M2 of what came after
  // it
  private var mergedUntil = 0
  private var arrivedThen = 0L
  private var afterMeans, afterM2s = new Array[Double](VarianceHistogram.Fewest)

  // numbers that arrived since the last merge
  private val recent = new Spread

  private var begin = 0L // number of elements before the first bucket
  private var arrived, left = 0L
  private var notFinite = 0L // number of elements up to the last one that is not finite

  // buckets store distances from the origin; `last` is the latest finite distance
  private var origin, last = 0.0

  // bound for all distances: those stored at the last merge and those that arrived since
  private var reach = 0.0

  private val rest = new Spread
  private val cut = new CutBucket

  def append(value: Double): Unit = {
    if (end == counts.length) compact()
    if (head == end) {
      mergedUntil = end
      recent.clear()
      reach = 0.0
      origin = if (math.abs(value) <= Double.MaxValue) value else 0.0
      last = 0.0
      begin = arrived
    }
    arrived += 1
    val distance = value - origin
    if (math.abs(distance) <= Double.MaxValue) last = distance else notFinite = arrived
    reach = math.max(reach, math.abs(last))
    if (end > mergedUntil && m2s(end - 1) == 0 && means(end - 1) == last) counts(end - 1) += 1
    else {
      counts(end) = 1L
      means(end) = last
      m2s(end) = 0.0
      end += 1
    }
    recent.add(last)
  }

  def expire(elements: Long): Unit = {
    left += elements
    while (head < end && begin + counts(head) <= left) {
      begin += counts(head)
      head += 1
    }
  }

  def count: Long = arrived - left
  def stored: Long = (end - head).toLong
  def sizeBytes: Long =
    4 * Meter.ObjectBytes + Meter.longs(counts.length) + 4 * Meter.doubles(means.length)

  def answer(question: FrameNumber, into: Bounds): Unit =
    if (question == FrameNumber.Count) into.exact(count.toDouble)
    else if (question == FrameNumber.Sum) into.refuse(NoAnswer.NotKept)
    else if (count == 0) into.refuse(NoAnswer.NoElements)
    else if (notFinite > left) into.refuse(NoAnswer.NotFinite)
    else {
      if (head >= mergedUntil) mergeBuckets()
      bound(question, into)
      // the element that overflowed may have left since the last merge
      if (!into.isAnswered) {
        mergeBuckets()
        bound(question, into)
      }
    }

  private def bound(question: FrameNumber, into: Bounds): Unit = {
    rest.clear()
    val after = arrivedThen - begin - counts(head)
    if (after > 0) rest.add(after, afterMeans(head), afterM2s(head))
    if (recent.n > 0) rest.add(recent.n, recent.mean, recent.m2)
    if (question == FrameNumber.Variance) variance(into) else mean(into)
  }

  private def variance(into: Bounds): Unit = {
    cut.bound(rest, begin + counts(head) - left, counts(head), means(head), m2s(head), reach)
    into.between(cut.low / count, cut.high / count)
  }

  private def mean(into: Bounds): Unit = {
    val n = count.toDouble
    val part = (begin + counts(head) - left).toDouble
    val gone = (left - begin).toDouble
    val middle = rest.mean + (means(head) - rest.mean) * (part / n)
    val slack = (n + 8) * Math.ulp(reach) + 2 * Math.ulp(origin)
    val off = part / n * math.sqrt(m2s(head) * (gone / (part * counts(head)))) + slack
    into.between(origin + middle - off, origin + middle + off)
  }

  /** Merges buckets where possible. At least a third of the capacity is free afterwards. */
  private def compact(): Unit = {
    if (head < end) mergeBuckets()
    val kept = end - head
    val length = math.max(VarianceHistogram.Fewest, kept + kept / 2)
    val fromCounts = counts
    if (length > counts.length || 4 * length < counts.length) counts = new Array[Long](length)
    System.arraycopy(fromCounts, head, counts, 0, kept)
    means = moved(means)
    m2s = moved(m2s)
    afterMeans = moved(afterMeans)
    afterM2s = moved(afterM2s)
    head = 0
    end = kept
    mergedUntil = kept
  }

  private def moved(array: Array[Double]): Array[Double] = {
    val to = if (counts.length == array.length) array else new Array[Double](counts.length)
    System.arraycopy(array, head, to, 0, end - head)
    to
  }

  /** Merges buckets from the newest, which must exist, to the oldest. The remaining buckets keep their place at the end of the
    * arrays.
    */
  private def mergeBuckets(): Unit = {
    rest.clear()
    reach = 0.0
    var to = end - 1
    var i = end - 2
    while (i >= head) {
      val n = counts(i) + counts(to)
      val delta = means(i) - means(to)
      val share = counts(i).toDouble / n.toDouble
      val both = m2s(i) + m2s(to) + delta * delta * share * counts(to).toDouble
      if (k * both <= rest.m2) {
        counts(to) = n
        means(to) += delta * share
        m2s(to) = both
      } else {
        finishBucket(to)
        rest.add(counts(to), means(to), m2s(to))
        to -= 1
        counts(to) = counts(i)
        means(to) = means(i)
        m2s(to) = m2s(i)
      }
      i -= 1
    }
    finishBucket(to)
    head = to
    mergedUntil = end
    arrivedThen = arrived
    recent.clear()
  }

  /** Records what came after a bucket that is not merged any further. */
  private def finishBucket(bucket: Int): Unit = {
    afterMeans(bucket) = rest.mean
    afterM2s(bucket) = rest.m2
    reach = math.max(reach, math.abs(means(bucket)) + math.sqrt(m2s(bucket)))
  }
}

object VarianceHistogram extends NumberStructure("variance_histogram", "variance histogram") {
  import FrameNumber._
  private val Fewest = 64
  def isExact: Boolean = false
  def answers: Set[FrameNumber] = Set(Count, Mean, Variance)
  def of(question: FrameNumber, capacity: Long, slide: Long, epsilon: Double): FrameNumbers =
    new VarianceHistogram(epsilon)
}
