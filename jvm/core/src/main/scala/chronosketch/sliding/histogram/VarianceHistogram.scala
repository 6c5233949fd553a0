package chronosketch.sliding.histogram

import chronosketch.memory.Meter

/** What is the variance of the numbers of a frame, when they are too many to be kept?
  *
  * Guarantee  the variance lies from `low` to `high` of the answer; relative error ≤ ε ≤ 1, and what doubles round. The mean has bounds,
  *            and no ε
  * Cost       O(1) a number and an answer, amortised; 40 bytes a bucket, O(1/ε² · log of how much larger M2 is than the squares of steps),
  *            and up to half as many for numbers that wait
  * Source     Babcock, Datar, Motwani and O'Callaghan, Maintaining variance and k-medians over data stream windows, 2003, §2; Meijer 2011,
  *            §4.6.2; departs: the part of the oldest bucket is bounded, not put at half of its M2 ([[CutBucket]]); which allows for
  *            (1 + 3ε/2)/ε² in place of 9/ε², a ninth of the buckets
  *
  * A bucket has an M2 of at most ε²/(1 + 3ε/2) of that of what came after it, which only grows: M2 does with every number. Where a NaN or an
  * infinity is in the frame there is no answer; the number before stands for it, so that there is one again when it has left.
  */
final class VarianceHistogram(epsilon: Double) extends FrameNumbers {
  private val k = (1 + 1.5 * epsilon) / (epsilon * epsilon)

  // of each bucket, the oldest first
  private var counts = new Array[Long](VarianceHistogram.Fewest)
  private var means, m2s = new Array[Double](VarianceHistogram.Fewest)
  private var head, end = 0

  // when buckets were joined last: how many there were, and how many numbers had come; of each, what came after it until then
  private var joined = 0
  private var arrivedThen = 0L
  private var afterMeans, afterM2s = new Array[Double](VarianceHistogram.Fewest)

  // what has come since
  private val recent = new Spread

  private var begin = 0L // how many came before the first bucket
  private var arrived, left = 0L
  private var notFinite = 0L // how many came up to the last one that is not

  // distances from here are kept
  private var origin, last = 0.0

  // no distance that has come since then, or was kept then, is longer
  private var reach = 0.0

  private val rest = new Spread
  private val cut = new CutBucket

  def append(value: Double): Unit = {
    if (end == counts.length) makeRoom()
    if (head == end) {
      joined = end
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
    if (end > joined && m2s(end - 1) == 0 && means(end - 1) == last) counts(end - 1) += 1
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

  def answer(asked: FrameNumber, into: Bounds): Unit =
    if (asked == FrameNumber.Count) into.exact(count.toDouble)
    else if (asked == FrameNumber.Sum) into.refuse(NoAnswer.NotKept)
    else if (count == 0) into.refuse(NoAnswer.NoElements)
    else if (notFinite > left) into.refuse(NoAnswer.NotFinite)
    else {
      if (head >= joined) join()
      bound(asked, into)
      // what is out of range may have left since
      if (!into.isAnswered) {
        join()
        bound(asked, into)
      }
    }

  private def bound(asked: FrameNumber, into: Bounds): Unit = {
    rest.clear()
    val after = arrivedThen - begin - counts(head)
    if (after > 0) rest.add(after, afterMeans(head), afterM2s(head))
    if (recent.n > 0) rest.add(recent.n, recent.mean, recent.m2)
    if (asked == FrameNumber.Variance) variance(into) else mean(into)
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

  /** Joins what may be joined; a third of the room at least is free then. */
  private def makeRoom(): Unit = {
    if (head < end) join()
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
    joined = kept
  }

  private def moved(array: Array[Double]): Array[Double] = {
    val to = if (counts.length == array.length) array else new Array[Double](counts.length)
    System.arraycopy(array, head, to, 0, end - head)
    to
  }

  /** From the newest bucket, which there must be, to the oldest. What is left ends where it did. */
  private def join(): Unit = {
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
        settle(to)
        rest.add(counts(to), means(to), m2s(to))
        to -= 1
        counts(to) = counts(i)
        means(to) = means(i)
        m2s(to) = m2s(i)
      }
      i -= 1
    }
    settle(to)
    head = to
    joined = end
    arrivedThen = arrived
    recent.clear()
  }

  /** A bucket that is joined no further. */
  private def settle(bucket: Int): Unit = {
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
  def of(asked: FrameNumber, capacity: Long, slide: Long, epsilon: Double): FrameNumbers =
    new VarianceHistogram(epsilon)
}
