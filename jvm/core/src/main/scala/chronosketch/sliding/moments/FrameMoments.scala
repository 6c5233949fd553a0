package chronosketch.sliding.moments

import chronosketch.memory.Meter
import chronosketch.sliding.{Blocks, Frames, WorkArrays}

/** Computes variance, skewness and kurtosis of the elements in every row's frame.
  *
  * Guarantee  for n elements that differ by at most D, with u = 2⁻⁵³ and no intermediate overflow, the p-th central moment M(p)
  *            is within c(p)·n²·u·D^p, c = 16, 96, 640. So M2, which is at least D²/2, has a relative error of at most 32n²u,
  *            whatever the mean (measured: 2·10⁻¹⁴ for n = 100 000). It is 0 if all elements are equal and NaN if one is NaN or
  *            infinite. Elements outside a row's frame do not affect its answer
  * Cost       one update per element that arrives, another when its block becomes the older one, and one merge per row, each with
  *            one division; higher moments only if a statistic needs them; work arrays of 8 bytes per element of the longest
  *            frame for the mean and for each moment
  * Source     Welford 1962; Pébay, Formulas for robust, one-pass parallel computation of covariances and arbitrary-order
  *            statistical moments, 2008, §3; van Herk 1992; departs: uses distances from an element instead of values
  *
  * Elements that leave are never subtracted. Subtracting them takes the same time (11 ns per row), but the variance of 1e9 + x
  * keeps 5 digits then instead of 14, and none once 1e12 or NaN has passed.
  *
  * Each row that uses the older block contains that block's last element, and each row that uses the newer block contains its
  * first. Distances from these two are at most D. So a large mean costs no digits, and a distance is infinite only if the answer
  * is not finite.
  */
final class FrameMoments {
  // tail arrays: entry i covers the older block's elements from first + i to its end
  private var tailMean, tail2, tail3, tail4 = new Array[Double](0)

  /** Memory of the work arrays. The elements belong to the caller and are not counted. */
  def sizeBytes: Long =
    Meter.ObjectBytes + Seq(tailMean, tail2, tail3, tail4).map(array => Meter.doubles(array.length)).sum

  /** Writes the answers to each statistic to the same index of `into`. */
  def slide(
      values: Array[Double],
      frames: Frames,
      statistics: Array[Statistic],
      into: Array[Answers]
  ): Unit = {
    var order = 2
    var q = 0
    while (q < statistics.length) {
      order = math.max(order, statistics(q).order)
      into(q).resize(frames.rows)
      q += 1
    }
    val third = order >= 3
    val fourth = order >= 4
    val blocks = new Blocks(frames)
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var first = 0
    var cut = 0
    var arrived = 0
    var origin, originDistance = 0.0
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
        if (first < cut) originDistance = origin - values(cut - 1)
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
          val delta = mean - tailMean(at) + originDistance
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
      q = 0
      while (q < statistics.length) {
        if (n == 0) into(q).outcomes(row) = Answers.Null
        else Statistic.answer(statistics(q).formula, n, m2, m3, m4, row, into(q))
        q += 1
      }
      row += 1
    }
  }

  private def fillTails(values: Array[Double], first: Int, cut: Int, order: Int): Unit = if (first < cut) {
    val third = order >= 3
    val fourth = order >= 4
    tailMean = WorkArrays.atLeast(tailMean, cut - first)
    tail2 = WorkArrays.atLeast(tail2, cut - first)
    if (third) tail3 = WorkArrays.atLeast(tail3, cut - first)
    if (fourth) tail4 = WorkArrays.atLeast(tail4, cut - first)
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
