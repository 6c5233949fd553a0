package chronosketch.sliding.moments

import chronosketch.memory.Meter
import chronosketch.sliding.{Blocks, Frames, Room}

/** How do the elements that a row sees spread about their mean: variance, skewness, kurtosis?
  *
  * Guarantee  of n elements that lie within D of each other, with u = 2⁻⁵³ and no overflow on the way, the p-th central moment M(p)
  *            is within c(p)·n²·u·D^p, c = 16, 96, 640. So M2, which is D²/2 at least, is within 32n²u of itself, whatever the mean
  *            (measured, 2·10⁻¹⁴ at n = 100 000). 0 where all are equal, NaN where one is NaN or infinite. No row knows of elements
  *            that it does not see
  * Cost       an update an element as it arrives, another when its block turns, a merge a row, each with one division; higher moments
  *            only where a statistic asks for them; work arrays of 8 bytes an element of the longest frame for the mean and each moment
  * Source     Welford 1962; Pébay, Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical
  *            moments, 2008, §3; van Herk 1992; departs: distances from an element are taken, not values
  *
  * Nothing is taken away again that went. Where that is done (11 ns a row, as here) 1e9 + x keeps 5 digits of its variance, where it
  * keeps 14 here, and none after one 1e12 or NaN has passed. Every row that looks at the older block sees its last element, and at the
  * newer, its first: distances from these are no longer than D, so that a large mean costs no digit, and not finite only if the answer
  * is not.
  */
final class Moments {
  // of the older block's elements from each one on
  private var tailMean, tail2, tail3, tail4 = new Array[Double](0)

  /** The memory of its work arrays. The elements are the caller's. */
  def sizeBytes: Long =
    Meter.ObjectBytes + Seq(tailMean, tail2, tail3, tail4).map(array => Meter.doubles(array.length)).sum

  /** What each row answers to each of `asked`, into the same place of `into`. */
  def slide(values: Array[Double], frames: Frames, asked: Array[Statistic], into: Array[Answers]): Unit = {
    var order = 2
    var ask = 0
    while (ask < asked.length) {
      order = math.max(order, asked(ask).order)
      into(ask).resize(frames.rows)
      ask += 1
    }
    val third = order >= 3
    val fourth = order >= 4
    val blocks = new Blocks(frames)
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var first = 0
    var cut = 0
    var arrived = 0
    var origin, apart = 0.0
    var sum, mean, head2, head3, head4 = 0.0
    var row = 0
    while (row < rows) {
      val end = until(row)
      if (blocks.advance(row)) {
        first = from(row)
        cut = blocks.cut
        fillTails(values, first, cut, order)
        arrived = cut
        sum = 0.0
        mean = 0.0
        head2 = 0.0
        head3 = 0.0
        head4 = 0.0
      }
      if (arrived == cut && arrived < end) {
        origin = values(cut)
        if (first < cut) apart = origin - values(cut - 1)
      }
      while (arrived < end) {
        val n = (arrived - cut + 1).toDouble
        val share = 1.0 / n
        val value = values(arrived) - origin
        val delta = value - mean
        val step = delta * share
        val square = delta * (delta - step)
        if (third) {
          if (fourth)
            head4 += square * step * step * (n * n - 3 * n + 3) + 6 * step * step * head2 - 4 * step * head3
          head3 += square * step * (n - 2) - 3 * step * head2
        }
        head2 += square
        sum += value
        mean = sum * share
        arrived += 1
      }
      val start = from(row)
      val n = (end - start).toDouble
      var m2 = head2
      var m3 = head3
      var m4 = head4
      if (start < cut) {
        val at = start - first
        m2 = tail2(at)
        if (third) m3 = tail3(at)
        if (fourth) m4 = tail4(at)
        if (cut < end) {
          val a = (cut - start).toDouble
          val b = (end - cut).toDouble
          val delta = mean - tailMean(at) + apart
          val step = delta / n
          val square = delta * step * a * b
          if (third) {
            if (fourth)
              m4 += head4 + square * step * step * (a * a - a * b + b * b) +
                6 * step * step * (a * a * head2 + b * b * m2) + 4 * step * (a * head3 - b * m3)
            m3 += head3 + square * step * (a - b) + 3 * step * (a * head2 - b * m2)
          }
          m2 += head2 + square
        }
      }
      ask = 0
      while (ask < asked.length) {
        if (n == 0) into(ask).outcomes(row) = Answers.Null
        else Statistic.answer(asked(ask).formula, n, m2, m3, m4, row, into(ask))
        ask += 1
      }
      row += 1
    }
  }

  private def fillTails(values: Array[Double], first: Int, cut: Int, order: Int): Unit = if (first < cut) {
    val third = order >= 3
    val fourth = order >= 4
    tailMean = Room.of(tailMean, cut - first)
    tail2 = Room.of(tail2, cut - first)
    if (third) tail3 = Room.of(tail3, cut - first)
    if (fourth) tail4 = Room.of(tail4, cut - first)
    val (means, seconds, thirds, fourths) = (tailMean, tail2, tail3, tail4)
    val origin = values(cut - 1)
    var sum, mean, m2, m3, m4 = 0.0
    var i = cut - 1
    while (i >= first) {
      val n = (cut - i).toDouble
      val share = 1.0 / n
      val value = values(i) - origin
      val delta = value - mean
      val step = delta * share
      val square = delta * (delta - step)
      if (third) {
        if (fourth) {
          m4 += square * step * step * (n * n - 3 * n + 3) + 6 * step * step * m2 - 4 * step * m3
          fourths(i - first) = m4
        }
        m3 += square * step * (n - 2) - 3 * step * m2
        thirds(i - first) = m3
      }
      m2 += square
      sum += value
      mean = sum * share
      means(i - first) = mean
      seconds(i - first) = m2
      i -= 1
    }
  }
}
