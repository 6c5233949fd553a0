package chronosketch.moments

import chronosketch.domain.DoubleKeys
import chronosketch.sliding.moments.DoubleSums

/** What is the mean of finite doubles, to twice a double's digits?
  *
  * Guarantee  of elements no greater than X in magnitude that came in k blocks and parts, [[high]] + [[low]] is within
  *            e = (k + 2¹⁶)·2⁻¹⁰²·X of the mean, and low is no more than half an ulp of high; where X is below 2⁻⁹⁰⁰ these are the digits
  *            that a double still has. Nothing overflows on the way
  * Cost       a compensated addition a row; a division a block
  * Source     Ogita, Rump and Oishi, Accurate sum and dot product, 2005, Sum2 and Dot2; Dekker 1971
  */
private[moments] final class Mean {
  var high, low = 0.0

  // what the last union says of the two means: how far apart they are, and each one's share of that
  var p, q = 0.0

  def set(that: Mean): Unit = { high = that.high; low = that.low }

  def set(value: Double): Unit = { high = value; low = 0.0 }

  /** n·mean; beyond the greatest double an infinity. */
  def times(n: Long): Double = {
    val count = n.toDouble
    val product = high * count
    if (product.isInfinite) product
    else product + (Math.fma(high, count, -product) + (high * Mean.rest(n, count) + low * count))
  }

  /** The mean of doubles, which come so many times each where `copies` is not null; n, how many they are. */
  def ofBlock(values: Array[Double], copies: Array[Long], rows: Int, n: Long): Unit = {
    ofBlock(values, copies, rows, n, 1.0)
    if (!java.lang.Double.isFinite(high)) {
      ofBlock(values, copies, rows, n, Mean.Down)
      high *= Mean.Up
      low *= Mean.Up
    }
  }

  private def ofBlock(values: Array[Double], copies: Array[Long], rows: Int, n: Long, unit: Double): Unit = {
    var sum, rest = 0.0
    var i = 0
    if (copies == null)
      while (i < rows) {
        val value = values(i) * unit
        val next = sum + value
        rest += DoubleSums.rounded(sum, value, next)
        sum = next
        i += 1
      }
    else
      while (i < rows) {
        val value = values(i) * unit
        val times = copies(i).toDouble
        val term = value * times
        val next = sum + term
        rest += DoubleSums.rounded(sum, term, next) +
          (Math.fma(value, times, -term) + value * Mean.rest(copies(i), times))
        sum = next
        i += 1
      }
    val nearest = sum + rest
    val below = DoubleSums.rounded(sum, rest, nearest)
    val count = n.toDouble
    val quotient = nearest / count
    val over = Math.fma(-quotient, count, nearest) + (below - quotient * Mean.rest(n, count))
    normalise(quotient, over / count)
  }

  /** The mean of these a elements and another's b. [[p]] and [[q]] are how far apart they were, times a/(a + b) and b/(a + b). */
  def unite(a: Long, b: Long, that: Mean): Unit = {
    val n = (a + b).toDouble
    val apart = that.high - high
    if (apart.isInfinite) {
      p = apart
      q = apart
      normalise(high * (a / n) + that.high * (b / n), 0.0)
    } else {
      val apartRest = DoubleSums.rounded(that.high, -high, apart) + (that.low - low)
      val other = b.toDouble
      val share = other / n
      val shareRest =
        (Math.fma(-share, n, other) + (Mean.rest(b, other) - share * Mean.rest(a + b, n))) / n
      val step = apart * share
      val stepRest = Math.fma(apart, share, -step) + (apart * shareRest + apartRest * share)
      val sum = high + step
      val rest = DoubleSums.rounded(high, step, sum) + (low + stepRest)
      val whole = apart + apartRest
      p = whole * (a / n)
      q = whole * share
      normalise(sum, rest)
    }
  }

  private def normalise(sum: Double, rest: Double): Unit = {
    high = sum + rest
    low = DoubleSums.rounded(sum, rest, high)
  }

  /** Rounding can't take it beyond an element. */
  def clamp(least: Long, greatest: Long): Unit = {
    val (from, to) = (DoubleKeys.value(least), DoubleKeys.value(greatest))
    if (from == to || high < from) set(from) else if (high > to) set(to)
  }
}

private[moments] object Mean {

  /** So far down no 2⁶³ elements have a sum that overflows. */
  private val Down = math.pow(2, -64)
  private val Up = math.pow(2, 64)

  /** What a count is more than the double nearest to it. */
  private def rest(count: Long, nearest: Double): Double = {
    val whole = nearest.toLong
    // 2⁶³ is no long
    if (whole == Long.MaxValue) (count - whole).toDouble - 1.0 else (count - whole).toDouble
  }
}
