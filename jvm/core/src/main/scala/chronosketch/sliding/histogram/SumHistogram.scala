package chronosketch.sliding.histogram

import chronosketch.memory.Meter

/** What is the sum of the numbers of a frame, none of them negative, when they are too many to be kept?
  *
  * Guarantee  the sum lies from `low` to `high` of the answer; relative error ≤ ε < 1, and 2nu for rounding. The mean likewise
  * Cost       O(1) a number and an answer, amortised; 24 bytes a bucket, O(1/ε · log of how much larger the sum is than the least
  *            number), and up to half as many for numbers that wait
  * Source     Datar, Gionis, Indyk and Motwani 2002, §5; Meijer 2011, §4.6.1; departs: of doubles; two neighbours become one bucket where
  *            it is small beside what came after, not where their sizes are equal
  *
  * A bucket of two or more numbers has a sum s with (1 − ε)·s ≤ 2ε·(sum of what came after it), which holds on since none of that leaves
  * before the bucket does. The frame's sum lies from the latter to s more. Where a negative number, a NaN or an infinity is in the frame
  * there is no answer; it counts as 0 then, so that there is one again when it has left.
  */
final class SumHistogram(epsilon: Double) extends FrameNumbers {
  // of each bucket, the oldest first: its sum, and how many elements came up to its last
  private var sums = new Array[Double](SumHistogram.Fewest)
  private var untils = new Array[Long](SumHistogram.Fewest)
  private var head, end = 0
  private var begin = 0L // how many came before the first bucket

  // when buckets were joined last: how many there were; of each, what came after it until then; and what has come since
  private var joined = 0
  private var afters = new Array[Double](SumHistogram.Fewest)
  private var recent = 0.0

  private var arrived, left = 0L

  // how many came up to the last one that is negative, and that is not finite
  private var negative, notFinite = 0L

  def append(value: Double): Unit = {
    if (end == sums.length) makeRoom()
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

  def answer(asked: FrameNumber, into: Bounds): Unit = asked match {
    case FrameNumber.Count => into.exact(count.toDouble)
    case FrameNumber.Variance => into.refuse(NoAnswer.NotKept)
    case FrameNumber.Mean if count == 0 => into.refuse(NoAnswer.NoElements)
    case _ if notFinite > left => into.refuse(NoAnswer.NotFinite)
    case _ if negative > left => into.refuse(NoAnswer.NegativeValue)
    case _ if count == 0 => into.exact(0.0)
    case _ =>
      val parts = if (asked == FrameNumber.Sum) 1.0 else count.toDouble
      if (head >= joined) join()
      bound(parts, into)
      // what is out of range may have left since
      if (!into.isAnswered) {
        join()
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

  /** Joins what may be joined; a third of the room at least is free then. */
  private def makeRoom(): Unit = {
    if (head < end) join()
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
    joined = kept
  }

  /** From the newest bucket, which there must be, to the oldest. What is left ends where it did. */
  private def join(): Unit = {
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
    joined = end
    recent = 0.0
  }
}

private object SumHistogram {
  private val Fewest = 64
  private val Unit = math.pow(2, -53)
}
