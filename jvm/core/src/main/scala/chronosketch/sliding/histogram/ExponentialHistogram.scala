package chronosketch.sliding.histogram

import chronosketch.memory.Meter

/** Counts the elements of a frame as if the frame did not say how many have left: for frames of times. See [[CountHistogram]]. */
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

  def answer(asked: FrameNumber, into: Bounds): Unit =
    if (asked == FrameNumber.Count) histogram.answer(into) else into.refuse(NoAnswer.NotKept)
}

/** Exponential histograms: a [[CountHistogram]] where counts are asked, a [[SumHistogram]] where sums or means are. */
object ExponentialHistogram extends NumberStructure("exponential_histogram", "exponential histogram") {
  import FrameNumber._
  def isExact: Boolean = false
  def answers: Set[FrameNumber] = Set(Count, Sum, Mean)
  def of(asked: FrameNumber, capacity: Long, slide: Long, epsilon: Double): FrameNumbers =
    if (asked == Count) new ExponentialCount(epsilon) else new SumHistogram(epsilon)
}
