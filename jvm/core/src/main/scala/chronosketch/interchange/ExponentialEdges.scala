package chronosketch.interchange

import java.lang.Double.{MIN_NORMAL, MIN_VALUE}

/** Computes the edges of bucket i of an exponential histogram: (2^(i·2^−scale), 2^((i+1)·2^−scale)].
  *
  * Guarantee  every value that a client counted in the bucket is from [[low]] to [[high]]. With a scale up to 0 the edges are powers of
  *            two, and exact. With a greater scale clients round, so an edge 2ᵉ is moved outward by the relative amount (|e| + 2)·2⁻⁵¹. This
  *            exceeds the error of a client that computes a logarithm within one unit in the last place and multiplies it by a rounded
  *            constant
  * Units      doubles above 0
  * Source     OpenTelemetry, Metrics data model, ExponentialHistogram, and its sections on mapping methods; the error of Java's Math.pow
  *            is at most one unit in the last place
  */
private[interchange] final class ExponentialEdges(scale: Int) {
  import ExponentialEdges._

  /** Whether a double can be in the bucket. Rounding of a logarithm may put the greatest double one bucket too far. */
  def holds(index: Long): Boolean =
    if (scale > 0) index <= (Octaves << scale) && index + 1 >= (Least << scale)
    else index < (Octaves >> -scale) && powerAt(index + 1) >= Least

  /** The least value in the bucket. Clients count subnormal values as the least normal one. */
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

  /** The edge divided by its power of two: between 1 and 2. The power of two is exact. */
  private def fraction(edge: Long): Double =
    Math.pow(2, Math.floorMod(edge, 1L << scale).toDouble / (1L << scale))

  private def slack(edge: Long): Double = (math.abs(edge).toDouble / (1L << scale) + 2) * Rounding

  private def powerAt(edge: Long): Long = edge << -scale

  private def power(edge: Long): Double =
    Math.scalb(1.0, math.max(Least - 1, math.min(Octaves, powerAt(edge))).toInt)
}

private[interchange] object ExponentialEdges {

  /** All positive doubles are below 2^Octaves and at least 2^Least. */
  private val Octaves = 1024L
  private val Least = -1074L
  private val Rounding = 1.0 / (1L << 51)
}
