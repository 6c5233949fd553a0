package chronosketch.sliding.histogram

import chronosketch.memory.Meter

/** Stores all numbers of a frame.
  *
  * Guarantee  exact up to rounding: sums are computed with twice the digits of a double and variances in two passes, so that a
  *            large mean costs no digits. NaN and infinities give what adding them gives
  * Cost       O(1) per number; a query reads all numbers; 8 bytes per number
  * Source     Meijer 2011, §4.3; Ogita, Rump and Oishi 2005, Sum2; Chan, Golub and LeVeque 1983 (the corrected two-pass
  *            algorithm); departs: nothing is subtracted
  */
final class NumberExpirationList extends FrameNumbers {
  private var values = new Array[Double](16)
  private var head, size = 0

  def append(value: Double): Unit = {
    if (size == values.length) {
      val wider = new Array[Double](2 * size)
      System.arraycopy(values, head, wider, 0, size - head)
      System.arraycopy(values, 0, wider, size - head, head)
      values = wider
      head = 0
    }
    values((head + size) & (values.length - 1)) = value
    size += 1
  }

  def expire(elements: Long): Unit = {
    val gone = Math.toIntExact(elements)
    head = (head + gone) & (values.length - 1)
    size -= gone
  }

  def count: Long = size.toLong
  def stored: Long = count
  def sizeBytes: Long = Meter.ObjectBytes + Meter.doubles(values.length)

  def answer(question: FrameNumber, into: Bounds): Unit = question match {
    case FrameNumber.Count => into.exact(size.toDouble)
    case FrameNumber.Sum => into.plain(sum)
    case _ if size == 0 => into.refuse(NoAnswer.NoElements)
    case FrameNumber.Mean => into.plain(sum / size)
    case FrameNumber.Variance => into.plain(squares(sum / size) / size)
  }

  private def sum: Double = {
    val total = new CompensatedSum
    var i = 0
    while (i < size) {
      total.add(values((head + i) & (values.length - 1)))
      i += 1
    }
    total.value
  }

  private def squares(mean: Double): Double = {
    var squares, rest = 0.0
    var i = 0
    while (i < size) {
      val delta = values((head + i) & (values.length - 1)) - mean
      squares += delta * delta
      rest += delta
      i += 1
    }
    math.max(0.0, squares - rest * (rest / size))
  }
}

object NumberExpirationList extends NumberStructure("expiration_list", "expiration list") {
  import FrameNumber._
  def isExact: Boolean = true
  def answers: Set[FrameNumber] = Set(Count, Sum, Mean, Variance)
  def of(question: FrameNumber, capacity: Long, slide: Long, epsilon: Double): FrameNumbers =
    new NumberExpirationList
}
