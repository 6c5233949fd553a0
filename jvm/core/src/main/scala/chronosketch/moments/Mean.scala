package chronosketch.moments

import chronosketch.domain.DoubleKeys
import chronosketch.sliding.moments.DoubleSums

/** The mean of finite doubles, with twice the digits of a double.
  *
  * Guarantee  for elements of magnitude at most X, in k blocks and parts, [[high]] + [[low]] is within e = (k + 2¹⁶)·2⁻¹⁰²·X of
  *            the mean, and low is at most half an ulp of high. If X is below 2⁻⁹⁰⁰, the precision is that of the digits a double
  *            still has. No intermediate overflow
  * Cost       one compensated addition per row, one division per block
  * Source     Ogita, Rump and Oishi, Accurate sum and dot product, 2005, Sum2 and Dot2; Dekker 1971
  */
private[moments] final class Mean {
  var high, low = 0.0

  // set by the last merge: each mean's share of the distance between the two
  var p, q = 0.0

  def set(that: Mean): Unit = { high = that.high; low = that.low }

  def set(value: Double): Unit = { high = value; low = 0.0 }

  /** n·mean; an infinity beyond the greatest double. */
  def times(n: Long): Double = {
    val count = n.toDouble
    val product = high * count
    if (product.isInfinite) product
    else product + (Math.fma(high, count, -product) + (high * Mean.countError(n, count) + low * count))
  }

  /** Sets the mean of a block. Row i counts copies(i) times, or once if `copies` is null; n is the number of elements. */
  def setToBlock(values: Array[Double], copies: Array[Long], rows: Int, n: Long): Unit = {
    setToBlock(values, copies, rows, n, 1.0)
    if (!java.lang.Double.isFinite(high)) {
      setToBlock(values, copies, rows, n, Mean.Down)
      high *= Mean.Up
      low *= Mean.Up
    }
  }

  private def setToBlock(
      values: Array[Double],
      copies: Array[Long],
      rows: Int,
      n: Long,
      unit: Double
  ): Unit = {
    var sum, residual = 0.0
    var i = 0
    if (copies == null)
      while (i < rows) {
        val value = values(i) * unit
        val next = sum + value
        residual += DoubleSums.rounded(sum, value, next)
        sum = next
        i += 1
      }
    else
      while (i < rows) {
        val value = values(i) * unit
        val times = copies(i).toDouble
        val term = value * times
        val next = sum + term
        residual += DoubleSums.rounded(sum, term, next) +
          (Math.fma(value, times, -term) + value * Mean.countError(copies(i), times))
        sum = next
        i += 1
      }
    val nearest = sum + residual
    val below = DoubleSums.rounded(sum, residual, nearest)
    val count = n.toDouble
    val quotient = nearest / count
    val over = Math.fma(-quotient, count, nearest) + (below - quotient * Mean.countError(n, count))
    normalise(quotient, over / count)
  }

  /** Merges the mean of another b elements into that of these a elements. [[p]] and [[q]] become the distance between the means
    * times a/(a + b) and times b/(a + b).
    */
  def unite(a: Long, b: Long, that: Mean): Unit = {
    val n = (a + b).toDouble
    val distance = that.high - high
    if (distance.isInfinite) {
      p = distance
      q = distance
      normalise(high * (a / n) + that.high * (b / n), 0.0)
    } else {
      val distanceRest = DoubleSums.rounded(that.high, -high, distance) + (that.low - low)
      val other = b.toDouble
      val share = other / n
      val shareRest =
        (Math.fma(-share, n, other) + (Mean.countError(b, other) - share * Mean.countError(a + b, n))) / n
      val step = distance * share
      val stepRest = Math.fma(distance, share, -step) + (distance * shareRest + distanceRest * share)
      val sum = high + step
      val residual = DoubleSums.rounded(high, step, sum) + (low + stepRest)
      val whole = distance + distanceRest
      p = whole * (a / n)
      q = whole * share
      normalise(sum, residual)
    }
  }

  private def normalise(sum: Double, residual: Double): Unit = {
    high = sum + residual
    low = DoubleSums.rounded(sum, residual, high)
  }

  /** Moves a mean that rounding has taken beyond the ends back to them. */
  def clamp(least: Long, greatest: Long): Unit = {
    val (from, to) = (DoubleKeys.value(least), DoubleKeys.value(greatest))
    if (from == to || high < from) set(from) else if (high > to) set(to)
  }
}

private[moments] object Mean {

  /** Scales down so far that the sum of 2⁶³ elements cannot overflow. */
  private val Down = math.pow(2, -64)
  private val Up = math.pow(2, 64)

  /** The difference between a count and the double nearest to it. */
  private def countError(count: Long, nearest: Double): Double = {
    val whole = nearest.toLong
    // 2⁶³ does not fit into a long
    if (whole == Long.MaxValue) (count - whole).toDouble - 1.0 else (count - whole).toDouble
  }
}
