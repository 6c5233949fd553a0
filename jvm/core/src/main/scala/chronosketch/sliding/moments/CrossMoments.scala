package chronosketch.sliding.moments

import chronosketch.sliding.{Blocks, Frames, Room}

/** How do the two values of the pairs that a row sees go together: covariance, correlation, regression?
  *
  * Guarantee  of n pairs whose x lie within Dx of each other and y within Dy, with u = 2⁻⁵³ and no overflow on the way, Mx is within
  *            16n²u·Dx², My within 16n²u·Dy² and C within 16n²u·Dx·Dy, whatever the means, which are themselves within
  *            u·|mean| + (n + 8)u·D; each is 0 where all x or all y that it is of are equal, and NaN where one of them is NaN or
  *            infinite. No row knows of pairs that it does not see
  * Cost       an update a pair as it arrives, another when its block turns, a merge a row, each with one division; Mx and My
  *            only where a statistic asks for them; work arrays of 8 bytes a pair of the longest frame for each of up to five
  * Source     as [[Moments]]; Pébay 2008, §4; departs: Spark's covariance is infinite, not NaN, where the last
  *            pair alone is
  */
final class CrossMoments {
  // of the older block's pairs from each one on
  private var tailMeanX, tailMeanY, tailX, tailY, tailC = new Array[Double](0)

  /** What each row answers to each of `asked`, into the same place of `into`. Pair i is (xs(i), ys(i)). */
  def slide(
      xs: Array[Double],
      ys: Array[Double],
      frames: Frames,
      asked: Array[CrossStatistic],
      into: Array[Answers]
  ): Unit = {
    var ofX = false
    var ofY = false
    var ask = 0
    while (ask < asked.length) {
      ofX |= asked(ask).ofX
      ofY |= asked(ask).ofY
      into(ask).resize(frames.rows)
      ask += 1
    }
    val blocks = new Blocks(frames)
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var first = 0
    var cut = 0
    var arrived = 0
    var originX, originY, apartX, apartY = 0.0
    var sumX, sumY, headMeanX, headMeanY, headX, headY, headC = 0.0
    var row = 0
    while (row < rows) {
      val end = until(row)
      if (blocks.advance(row)) {
        first = from(row)
        cut = blocks.cut
        fillTails(xs, ys, first, cut, ofX, ofY)
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
          apartX = originX - xs(cut - 1)
          apartY = originY - ys(cut - 1)
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
        if (ofX) headX += dx * restX
        if (ofY) headY += dy * restY
        headC += dx * restY + CrossMoments.poison(restX)
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
        mx = if (ofX) tailX(at) else 0.0
        my = if (ofY) tailY(at) else 0.0
        c = tailC(at)
        meanX = tailMeanX(at)
        meanY = tailMeanY(at)
        if (cut < end) {
          val share = (end - cut) / n
          val weight = share * (cut - start)
          val dx = headMeanX - meanX + apartX
          val dy = headMeanY - meanY + apartY
          if (ofX) mx += headX + dx * dx * weight
          if (ofY) my += headY + dy * dy * weight
          c += headC + dx * dy * weight
          meanX += dx * share
          meanY += dy * share
        }
        meanX += xs(cut - 1)
        meanY += ys(cut - 1)
      }
      ask = 0
      while (ask < asked.length) {
        if (n == 0) into(ask).outcomes(row) = Answers.Null
        else CrossStatistic.answer(asked(ask).formula, n, meanX, meanY, mx, my, c, row, into(ask))
        ask += 1
      }
      row += 1
    }
  }

  private def fillTails(
      xs: Array[Double],
      ys: Array[Double],
      first: Int,
      cut: Int,
      ofX: Boolean,
      ofY: Boolean
  ): Unit = if (first < cut) {
    tailMeanX = Room.of(tailMeanX, cut - first)
    tailMeanY = Room.of(tailMeanY, cut - first)
    tailC = Room.of(tailC, cut - first)
    if (ofX) tailX = Room.of(tailX, cut - first)
    if (ofY) tailY = Room.of(tailY, cut - first)
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
      if (ofX) { mx += dx * restX; mxs(i - first) = mx }
      if (ofY) { my += dy * restY; mys(i - first) = my }
      c += dx * restY + CrossMoments.poison(restX)
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

  /** 0 for a finite distance, else NaN, where the other distance alone would make a product an infinity. */
  private def poison(distance: Double): Double = distance - distance
}
