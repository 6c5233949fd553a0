package chronosketch.interchange

import chronosketch.domain.{Domain, DoubleKeys}

/** Converts an exponential histogram of OpenTelemetry, or a native histogram of Prometheus, to a sketch.
  *
  * Guarantee  rank bounds that hold wherever in its bucket each value is, and whichever way a client rounded values at an edge
  * Cost       O(buckets)
  * Units      doubles
  * Source     OpenTelemetry, Metrics data model, ExponentialHistogram
  */
object ExponentialHistogram {
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
          buckets.addMagnitudes(edges.low(index), edges.high(index), isNegative, count, name)
        }
        i += 1
      }
    }

    addAll(negative, isNegative = true)
    buckets.add(DoubleKeys.key(-zeroThreshold), DoubleKeys.key(zeroThreshold), zeroCount, "the zero bucket")
    addAll(positive, isNegative = false)
    buckets.sketch
  }
}
