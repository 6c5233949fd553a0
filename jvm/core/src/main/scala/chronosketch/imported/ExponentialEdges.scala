package chronosketch.imported

import java.lang.Double.{MIN_NORMAL, MIN_VALUE}

/** Where does bucket i of an exponential histogram begin and end: (2^(i·2^−scale), 2^((i+1)·2^−scale)]?
  *
  * Guarantee  every value that a client counted there is from [[low]] to [[high]]: of a scale up to 0 the edges are powers of two, and
  *            exact. Above, clients round: an edge 2ᵉ is moved outward by the share (|e| + 2)·2⁻⁵¹ of itself, which is more than a client is
  *            off that takes a logarithm within one unit in the last place and multiplies it by a rounded constant
  * Units      doubles above 0
  * Source     OpenTelemetry, Metrics data model, ExponentialHistogram, and its sections on mapping methods; Math.pow of Java is off by
  *            one unit in the last place at most
  */
private[imported] final class ExponentialEdges(scale: Int) {
  import ExponentialEdges._

  /** Values of the double format may be in the bucket. A logarithm may put the greatest one bucket too far. */
  def holds(index: Long): Boolean =
    if (scale > 0) index <= (Octaves << scale) && index + 1 >= (Least << scale)
    else index < (Octaves >> -scale) && powerAt(index + 1) >= Least

  /** The least value there; subnormal ones are counted as the least normal one. */
  def low(index: Long): Double = {
    val edge =
      if (scale > 0) Math.nextDown(Math.scalb(fraction(index) * (1 - slack(index)), octave(index)))
      else Math.nextUp(power(index))
    if (edge <= MIN_NORMAL) MIN_VALUE else edge
  }

  def high(index: Long): Double =
    if (scale > 0) {
      val edge = index + 1
      Math.nextUp(Math.scalb(Math.nextUp(fraction(edge) * (1 + slack(edge))), octave(edge)))
    } else power(index + 1)

  private def octave(edge: Long): Int =
    Math.floorDiv(edge, 1L << scale).toInt

  /** Between 1 and 2; the exponent is exact. */
  private def fraction(edge: Long): Double =
    Math.pow(2, Math.floorMod(edge, 1L << scale).toDouble / (1L << scale))

  private def slack(edge: Long): Double = (math.abs(edge).toDouble / (1L << scale) + 2) * Rounding

  private def powerAt(edge: Long): Long = edge << -scale

  private def power(edge: Long): Double =
    Math.scalb(1.0, math.max(Least - 1, math.min(Octaves, powerAt(edge))).toInt)
}

private[imported] object ExponentialEdges {

  /** All doubles are below 2 to the one, and not below 2 to the other. */
  private val Octaves = 1024L
  private val Least = -1074L
  private val Rounding = 1.0 / (1L << 51)
}
