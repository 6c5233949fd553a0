package chronosketch.interchange

import chronosketch.domain.{Domain, DoubleKeys}

/** Converts a histogram with explicit bounds between its buckets, as OpenTelemetry and Prometheus write it, to a sketch.
  *
  * Guarantee  ranks are exact at the bounds; a rank between two bounds is between theirs
  * Cost       O(m) for m buckets
  * Units      keys of the limits' type
  * Source     OpenTelemetry, Metrics data model, Histogram; Prometheus, Metric types, Histogram: buckets include their upper bound
  */
object Histogram {

  /** Bucket i has the values above bound i − 1 and at most bound i; the last bucket has the values above all bounds. */
  def of(bounds: Array[Long], counts: Array[Long], limits: Limits): ImportedSketch = {
    val domain = limits.domain
    requireRising(bounds, limits)
    requireCounts(bounds, counts, domain)
    val buckets = new HistogramBuckets(limits, counts.length)
    var i = 0
    while (i < counts.length) {
      val at = i
      val low = if (i == 0) domain.least else above(domain, bounds(i - 1))
      val high = if (i == bounds.length) domain.greatest else bounds(i)
      buckets.add(low, high, counts(i), s"bucket ${at + 1}")
      i += 1
    }
    buckets.sketch
  }

  /** The counts of the single buckets, from cumulative counts. */
  def differences(counts: Array[Long]): Array[Long] = Array.tabulate(counts.length) { i =>
    if (i > 0 && counts(i) < counts(i - 1)) {
      throw Unreadable.histogram(
        s"count ${i + 1} is ${counts(i)} after ${counts(i - 1)}, but cumulative counts must not decrease. Leave cumulative out if each bucket has its own count"
      )
    }
    // a negative count is refused later, with the number of its bucket
    if (i == 0 || counts(i - 1) < 0) counts(i) else counts(i) - counts(i - 1)
  }

  private def requireRising(bounds: Array[Long], limits: Limits): Unit = {
    var i = 0
    while (i < bounds.length) {
      if (limits.domain.isFloating && bounds(i) == DoubleKeys.NaN)
        throw Unreadable.histogram(s"bound ${i + 1} is NaN. Leave it out")
      if (i > 0 && bounds(i) <= bounds(i - 1)) {
        throw Unreadable.histogram(
          s"bound ${i + 1} is ${limits.show(bounds(i))} after ${limits.show(bounds(i - 1))}, but bounds must increase. " +
            "Sort them, and the counts with them"
        )
      }
      i += 1
    }
  }

  private def requireCounts(bounds: Array[Long], counts: Array[Long], domain: Domain): Unit = {
    val isClosed = bounds.nonEmpty && domain.isFloating && bounds.last == DoubleKeys.PositiveInfinity
    val fits = counts.length == bounds.length + 1 || (isClosed && counts.length == bounds.length)
    if (!fits) {
      throw Unreadable.histogram(
        s"it has ${counts.length} counts and ${bounds.length} bounds. Give one count more than bounds, for the values above the last bound. " +
          "Or give equally many, if the last bound is +Infinity"
      )
    }
  }

  /** The least key above this one. */
  private def above(domain: Domain, key: Long): Long =
    if (key == Long.MaxValue) key
    else if (domain.isFloating && key + 1 == DoubleKeys.NegativeZero) key + 2
    else key + 1
}
