package chronosketch.sliding.histogram

import chronosketch.memory.Meter

/** Estimates the sum of a frame's non-negative numbers when they are too many to be stored.
  *
  * Guarantee  the sum lies between `low` and `high` of the answer; relative error ≤ ε < 1, plus 2nu for rounding. The same holds
  *            for the mean
  * Cost       O(1) per number and per query, amortised; 24 bytes per bucket, O(1/ε · log(sum / least number)) buckets, and up to
  *            half as many for numbers that are not merged yet
  * Source     Datar, Gionis, Indyk and Motwani 2002, §5; Meijer 2011, §4.6.1; departs: sums doubles; merges two neighbours if
  *            their sum is small compared with what came after them, not if their sizes are equal
  *
  * A bucket of two or more numbers has a sum s with (1 − ε)·s ≤ 2ε·(sum of what came after it). This stays true, because none of
  * the later numbers leaves before the bucket does. The frame's sum lies between that later sum and s more. While a negative
  * number, a NaN or an infinity is in the frame there is no answer; it is stored as 0, so that answers return once it has left.
  */
final class SumHistogram(epsilon: Double) extends FrameNumbers {
  // for each bucket, oldest first: its sum, and the number of elements up to its last one
  private var sums = new Array[Double](SumHistogram.Fewest)
  private var untils = new Array[Long](SumHistogram.Fewest)
  private var head, end = 0
  private var begin = 0L // number of elements before the first bucket

  // at the last merge of buckets: their number, and for each the sum of later ones at that time; and the sum of numbers
  // since then
  private var mergedUntil = 0
  private var afters = new Array[Double](SumHistogram.Fewest)
  private var recent = 0.0

  private var arrived, left = 0L

  // number of elements up to the last negative one, and up to the last one that is not finite
  private var negative, notFinite = 0L

  def append(value: Double): Unit = {
    if (end == sums.length) compact()
    arrived += 1
    var counted = value
    if (!(math.abs(value) <= Double.MaxValue)) {
      notFinite = arrived
      counted = 0.0
    } else if (value < 0) {
      negative = arrived
      counted = 0.0
    }
    sums(end) = counted
    untils(end) = arrived
    end += 1
    recent += counted
  }

  def expire(elements: Long): Unit = {
    left += elements
    while (head < end && untils(head) <= left) {
      begin = untils(head)
      head += 1
    }
  }

  def count: Long = arrived - left
  def stored: Long = (end - head).toLong
  def sizeBytes: Long = Meter.ObjectBytes + 2 * Meter.doubles(sums.length) + Meter.longs(untils.length)

  def answer(question: FrameNumber, into: Bounds): Unit = question match {
    case FrameNumber.Count => into.exact(count.toDouble)
    case FrameNumber.Variance => into.refuse(NoAnswer.NotKept)
    case FrameNumber.Mean if count == 0 => into.refuse(NoAnswer.NoElements)
    case _ if notFinite > left => into.refuse(NoAnswer.NotFinite)
    case _ if negative > left => into.refuse(NoAnswer.NegativeValue)
    case _ if count == 0 => into.exact(0.0)
    case _ =>
      val parts = if (question == FrameNumber.Sum) 1.0 else count.toDouble
      if (head >= mergedUntil) mergeBuckets()
      bound(parts, into)
      // the element that overflowed may have left since the last merge
      if (!into.isAnswered) {
        mergeBuckets()
        bound(parts, into)
      }
  }

  private def bound(parts: Double, into: Bounds): Unit = {
    val rest = afters(head) + recent
    val cut = sums(head)
    val slack = 1 + 2 * SumHistogram.Unit * count.toDouble
    val least = if (begin == left) rest + cut else rest
    into.between(least / slack / parts, (rest + cut) * slack / parts)
  }

  /** Merges buckets where possible. At least a third of the capacity is free afterwards. */
  private def compact(): Unit = {
    if (head < end) mergeBuckets()
    val kept = end - head
    val length = math.max(SumHistogram.Fewest, kept + kept / 2)
    val (fromSums, fromUntils, fromAfters) = (sums, untils, afters)
    if (length > sums.length || 4 * length < sums.length) {
      sums = new Array[Double](length)
      untils = new Array[Long](length)
      afters = new Array[Double](length)
    }
    System.arraycopy(fromSums, head, sums, 0, kept)
    System.arraycopy(fromUntils, head, untils, 0, kept)
    System.arraycopy(fromAfters, head, afters, 0, kept)
    head = 0
    end = kept
    mergedUntil = kept
  }

  /** Merges buckets from the newest, which must exist, to the oldest. The remaining buckets keep their place at the end of the
    * arrays.
    */
  private def mergeBuckets(): Unit = {
    var rest = 0.0
    var to = end - 1
    var i = end - 2
    while (i >= head) {
      val both = sums(i) + sums(to)
      if ((1 - epsilon) * both <= 2 * epsilon * rest) sums(to) = both
      else {
        afters(to) = rest
        rest += sums(to)
        to -= 1
        sums(to) = sums(i)
        untils(to) = untils(i)
      }
      i -= 1
    }
    afters(to) = rest
    head = to
    mergedUntil = end
    recent = 0.0
  }
}

private object SumHistogram {
  private val Fewest = 64
  private val Unit = math.pow(2, -53)
}
