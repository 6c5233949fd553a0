package chronosketch.sliding.histogram

import chronosketch.memory.Meter

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
