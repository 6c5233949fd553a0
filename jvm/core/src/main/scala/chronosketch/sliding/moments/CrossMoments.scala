package chronosketch.sliding.moments

import chronosketch.sliding.{Blocks, Frames, WorkArrays}

/** Computes covariance, correlation and regression of the pairs in every row's frame.
  *
  * Guarantee  for n pairs whose x differ by at most Dx and whose y by at most Dy, with u = 2⁻⁵³ and no intermediate overflow: Mx
  *            is within 16n²u·Dx², My within 16n²u·Dy² and C within 16n²u·Dx·Dy, whatever the means, which themselves are within
  *            u·|mean| + (n + 8)u·D. Each is 0 if all x or all y that it uses are equal, and NaN if one of them is NaN or
  *            infinite. Pairs outside a row's frame do not affect its answer
  * Cost       one update per pair that arrives, another when its block becomes the older one, and one merge per row, each with
  *            one division; Mx and My only if a statistic needs them; up to five work arrays of 8 bytes per pair of the longest
  *            frame
  * Source     as [[FrameMoments]]; Pébay 2008, §4; departs: Spark's covariance is infinite, not NaN, if only the last pair is
  */
final class CrossMoments {
  // tail arrays: entry i covers the older block's pairs from first + i to its end
  private var tailMeanX, tailMeanY, tailX, tailY, tailC = new Array[Double](0)

  /** Writes the answers to each statistic to the same index of `into`. Pair i is (xs(i), ys(i)). */
  def slide(
      xs: Array[Double],
      ys: Array[Double],
      frames: Frames,
      statistics: Array[CrossStatistic],
      into: Array[Answers]
  ): Unit = {
    var needsX = false
    var needsY = false
    var q = 0
    while (q < statistics.length) {
      needsX |= statistics(q).needsX
      needsY |= statistics(q).needsY
      into(q).resize(frames.rows)
      q += 1
    }
    val blocks = new Blocks(frames)
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var first = 0
    var cut = 0
    var arrived = 0
    var originX, originY, originDistanceX, originDistanceY = 0.0
    var sumX, sumY, headMeanX, headMeanY, headX, headY, headC = 0.0
    var row = 0
    while (row < rows) {
      val end = until(row)
      if (blocks.advance(row)) {
        first = from(row)
        cut = blocks.cut
        fillTails(xs, ys, first, cut, needsX, needsY)
        arrived = cut
        sumX = 0.0
        sumY = 0.0
        headMeanX = 0.0
        headMeanY = 0.0
        headX = 0.0
        headY = 0.0
        headC = 0.0
      }
      if (arrived == cut && arrived < end) {
        originX = xs(cut)
        originY = ys(cut)
        if (first < cut) {
          originDistanceX = originX - xs(cut - 1)
          originDistanceY = originY - ys(cut - 1)
        }
      }
      while (arrived < end) {
        val share = 1.0 / (arrived - cut + 1)
        val x = xs(arrived) - originX
        val y = ys(arrived) - originY
        val dx = x - headMeanX
        val dy = y - headMeanY
        val restX = dx - dx * share
        val restY = dy - dy * share
        if (needsX) headX += dx * restX
        if (needsY) headY += dy * restY
        headC += dx * restY + CrossMoments.nanUnlessFinite(restX)
        sumX += x
        sumY += y
        headMeanX = sumX * share
        headMeanY = sumY * share
        arrived += 1
      }
      val start = from(row)
      val n = (end - start).toDouble
      var meanX = originX + headMeanX
      var meanY = originY + headMeanY
      var mx = headX
      var my = headY
      var c = headC
      if (start < cut) {
        val at = start - first
        mx = if (needsX) tailX(at) else 0.0
        my = if (needsY) tailY(at) else 0.0
        c = tailC(at)
        meanX = tailMeanX(at)
        meanY = tailMeanY(at)
        if (cut < end) {
          val share = (end - cut) / n
          val weight = share * (cut - start)
          val dx = headMeanX - meanX + originDistanceX
          val dy = headMeanY - meanY + originDistanceY
          if (needsX) mx += headX + dx * dx * weight
          if (needsY) my += headY + dy * dy * weight
          c += headC + dx * dy * weight
          meanX += dx * share
          meanY += dy * share
        }
        meanX += xs(cut - 1)
        meanY += ys(cut - 1)
      }
      q = 0
      while (q < statistics.length) {
        if (n == 0) into(q).outcomes(row) = Answers.Null
        else CrossStatistic.answer(statistics(q).formula, n, meanX, meanY, mx, my, c, row, into(q))
        q += 1
      }
      row += 1
    }
  }

  private def fillTails(
      xs: Array[Double],
      ys: Array[Double],
      first: Int,
      cut: Int,
      needsX: Boolean,
      needsY: Boolean
  ): Unit = if (first < cut) {
    tailMeanX = WorkArrays.atLeast(tailMeanX, cut - first)
    tailMeanY = WorkArrays.atLeast(tailMeanY, cut - first)
    tailC = WorkArrays.atLeast(tailC, cut - first)
    if (needsX) tailX = WorkArrays.atLeast(tailX, cut - first)
    if (needsY) tailY = WorkArrays.atLeast(tailY, cut - first)
    val (meansX, meansY, mxs, mys, cs) = (tailMeanX, tailMeanY, tailX, tailY, tailC)
    val originX = xs(cut - 1)
    val originY = ys(cut - 1)
    var sumX, sumY, meanX, meanY, mx, my, c = 0.0
    var i = cut - 1
    while (i >= first) {
      val share = 1.0 / (cut - i)
      val x = xs(i) - originX
      val y = ys(i) - originY
      val dx = x - meanX
      val dy = y - meanY
      val restX = dx - dx * share
      val restY = dy - dy * share
      if (needsX) { mx += dx * restX; mxs(i - first) = mx }
      if (needsY) { my += dy * restY; mys(i - first) = my }
      c += dx * restY + CrossMoments.nanUnlessFinite(restX)
      sumX += x
      sumY += y
      meanX = sumX * share
      meanY = sumY * share
      meansX(i - first) = meanX
      meansY(i - first) = meanY
      cs(i - first) = c
      i -= 1
    }
  }
}

object CrossMoments {

  /** 0 for a finite distance, NaN otherwise. Added because the other distance alone could make a product infinite. */
  private def nanUnlessFinite(distance: Double): Double = distance - distance
}
