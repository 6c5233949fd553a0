package chronosketch.interchange

import java.lang.Double.{MIN_NORMAL, MIN_VALUE}

import chronosketch.domain.{Domain, DoubleKeys}

/** Converts an exponential histogram of OpenTelemetry, or a native histogram of Prometheus, to a sketch.
  *
  * Guarantee  rank bounds that hold wherever in its bucket each value is, and whichever way a client rounded values at an edge
  * Cost       O(buckets)
  * Units      doubles
  * Source     OpenTelemetry, Metrics data model, ExponentialHistogram
  */
object ImportedExponentialHistogram {
  val LeastScale: Int = -10
  val GreatestScale: Int = 20

  /** The buckets of one sign, by increasing magnitude: the index of the first, and the counts. */
  final case class Side(offset: Int, counts: Array[Long])

  /** @param zeroCount number of values whose magnitude is at most `zeroThreshold` */
  def of(
      scale: Int,
      zeroCount: Long,
      positive: Side,
      negative: Side,
      zeroThreshold: Double,
      limits: Limits
  ): ImportedSketch = {
    require(limits.domain == Domain.Double, s"limits of type ${limits.domain.sql}")
    if (scale < LeastScale || scale > GreatestScale)
      throw Unreadable.histogram(s"its scale is $scale. It must be from $LeastScale to $GreatestScale")
    if (!(zeroThreshold >= 0 && zeroThreshold <= Double.MaxValue))
      throw Unreadable.histogram(
        s"its zero_threshold is $zeroThreshold. It must be a finite number, 0 or more"
      )
    val edges = new ExponentialEdges(scale)
    val maxBuckets = positive.counts.length.toLong + negative.counts.length + 1
    val buckets = new HistogramBuckets(limits, math.min(maxBuckets, Int.MaxValue - 16L).toInt)

    def addAll(side: Side, isNegative: Boolean): Unit = {
      val n = side.counts.length
      var i = 0
      while (i < n) {
        // negative values with the greatest magnitude come first
        val at = if (isNegative) n - 1 - i else i
        val count = side.counts(at)
        val index = side.offset.toLong + at
        def name = s"${if (isNegative) "negative" else "positive"} bucket ${at + 1}, of index $index,"
        if (count != 0) {
          if (!edges.holds(index)) {
            throw Unreadable.histogram(
              s"$name counts $count values, but at scale $scale no DOUBLE lies in it. Check the scale and the offset"
            )
          }
          val (low, high) = (edges.low(index), edges.high(index))
          buckets.addMagnitudes(low, high, geometricMean(low, high), isNegative, count, name)
        }
        i += 1
      }
    }

    addAll(negative, isNegative = true)
    buckets.add(
      DoubleKeys.key(-zeroThreshold),
      DoubleKeys.key(zeroThreshold),
      Some(DoubleKeys.key(0.0)),
      zeroCount,
      "the zero bucket"
    )
    addAll(positive, isNegative = false)
    buckets.sketch
  }

  /** The middle of a bucket whose ends are powers of its base. */
  private def geometricMean(low: Double, high: Double): Double =
    math.sqrt(low) * math.sqrt(math.min(high, Double.MaxValue))
}

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
