package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.domain.DoubleKeys

/** Checks whether stored moments are possible for doubles with given ends, and rejects them if not. Allows for twice the rounding
  * errors.
  *
  * Guarantee  for n elements that differ by at most D, two of them by exactly D: D²/2 ≤ M2 ≤ n·D²/4, |M3| ≤ n·D³, D⁴/8 ≤ M4 ≤
  *            n·D⁴
  */
private[moments] object MomentBoundsCheck {

  /** Powers of a range below this are not checked, because underflow may have cost them digits. */
  private val Tiny = 1e-290

  def requireMean(r: Wire.Reader, mean: Mean, least: Long, greatest: Long): Unit = {
    val high = mean.high
    if (!(high >= DoubleKeys.value(least) && high <= DoubleKeys.value(greatest)))
      throw r.corrupt(s"its mean, $high, is not between its least and greatest value")
    if (!(high + mean.low == high)) throw r.corrupt(s"its mean is $high and ${mean.low}")
  }

  def requireSquares(r: Wire.Reader, n: Long, range: Double, m2: Double): Unit =
    requireBetween(r, "M2", m2, range * range / 4, n.toDouble * range * range)

  def requireMoments(r: Wire.Reader, n: Long, range: Double, m2: Double, m3: Double, m4: Double): Unit = {
    requireSquares(r, n, range, m2)
    val most = 4 * n.toDouble * range * range * range
    if (!(math.abs(m3) <= most + Tiny || m3.isNaN && most.isInfinite)) throw r.corrupt(s"its M3 is $m3")
    requireBetween(r, "M4", m4, range * range * range * range / 16, most * range)
  }

  def requireProducts(r: Wire.Reader, n: Long, rangeY: Double, rangeX: Double, c: Double): Unit = {
    val most = 4 * n.toDouble * (rangeY * rangeX)
    if (!(math.abs(c) <= most + Tiny || c.isNaN && most.isInfinite))
      throw r.corrupt(s"its sum of products is $c")
  }

  private def requireBetween(r: Wire.Reader, name: String, value: Double, low: Double, high: Double): Unit = {
    val isAbove = value >= 0 && (value >= low || low <= Tiny || low.isInfinite && value == low)
    if (!(isAbove && value <= high + Tiny)) throw r.corrupt(s"its $name is $value")
  }
}
