package chronosketch.interchange

import java.util.Arrays

import chronosketch.counted.ElementCount
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.rank.{CountedIntervals, RankProfile}

/** Converts a histogram with explicit bounds between its buckets, as OpenTelemetry and Prometheus write it, to a sketch.
  *
  * Guarantee  ranks are exact at the bounds; a rank between two bounds is between theirs
  * Cost       O(m) for m buckets
  * Units      keys of the limits' type
  * Source     OpenTelemetry, Metrics data model, Histogram; Prometheus, Metric types, Histogram: buckets include their upper bound
  */
object ImportedHistogram {

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
      // an open bucket answers its other end, because its values are hardly near the end of the type
      val isOpenBelow = i == 0 && limits.minimum.isEmpty
      val isOpenAbove = limits.maximum.isEmpty && (i == bounds.length || high == limits.greatest)
      val typical =
        if (isOpenBelow == isOpenAbove) None else if (isOpenBelow) Some(high) else Some(low)
      buckets.add(low, high, typical, counts(i), s"bucket ${at + 1}")
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

/** The minimum and maximum of all values in a histogram, if known. None stands for the least or greatest value of the type.
  *
  * @param show formats a key for messages
  */
final case class Limits(
    domain: Domain,
    minimum: Option[Long],
    maximum: Option[Long],
    show: Long => String
) {
  for (key <- minimum ++ maximum) if (domain.isFloating && key == DoubleKeys.NaN)
    throw Unreadable.histogram("minimum or maximum is NaN. Leave it out if it is not known")
  for (least <- minimum; greatest <- maximum) if (least > greatest)
    throw Unreadable.histogram(
      s"minimum ${show(least)} is above maximum ${show(greatest)}. Check the order of the arguments"
    )

  /** The least and the greatest key that can be counted. No bucket counts NaN, which is neither above nor below a bound. */
  val least: Long = minimum.getOrElse(domain.least)
  val greatest: Long =
    maximum.getOrElse(if (domain.isFloating) DoubleKeys.PositiveInfinity else domain.greatest)
}

/** Collects the buckets of a histogram in increasing order, and derives rank bounds and estimates from them.
  *
  * Guarantee  rank bounds that hold wherever in its bucket each value is. A bucket answers its typical value. Without one, it answers the
  *            nearer of its ends
  * Cost       O(1) per bucket; 32 bytes per bucket that has values
  * Units      keys of the limits' type
  */
private[interchange] final class HistogramBuckets(limits: Limits, maxBuckets: Int) {
  private var lows, highs, typicals, counts = new Array[Long](math.min(maxBuckets, 64))
  private var size = 0

  // bit i: bucket i has a typical value
  private val haveTypical = new java.util.BitSet
  private var total = 0L

  /** Adds the next bucket, with values from `low` to `high`. Neighbouring buckets may overlap, because edges may not be known exactly.
    *
    * @param typical the value that stands for all of the bucket
    */
  def add(low: Long, high: Long, typical: Option[Long], count: Long, name: => String): Unit = {
    if (count < 0) throw Unreadable.histogram(s"$name counts $count values. Counts must be 0 or more")
    if (count > 0) {
      ElementCount.requireRoom(total, count)
      val from = math.max(low, limits.least)
      val to = math.min(high, limits.greatest)
      if (from > to) {
        throw Unreadable.histogram(
          s"$name counts $count values, but no value can lie in it. Values are from ${limits.show(limits.least)} to " +
            s"${limits.show(limits.greatest)}. Check minimum and maximum, and which bucket the first count belongs to"
        )
      }
      if (size == lows.length) {
        val room = math.min(maxBuckets.toLong, 2L * size).toInt
        lows = Arrays.copyOf(lows, room)
        highs = Arrays.copyOf(highs, room)
        typicals = Arrays.copyOf(typicals, room)
        counts = Arrays.copyOf(counts, room)
      }
      lows(size) = from
      highs(size) = to
      typical.foreach { key =>
        typicals(size) = math.max(from, math.min(to, key))
        haveTypical.set(size)
      }
      counts(size) = count
      size += 1
      total += count
    }
  }

  /** Adds the next bucket of doubles, given its least and greatest magnitude. */
  def addMagnitudes(
      least: Double,
      greatest: Double,
      typical: Double,
      isNegative: Boolean,
      count: Long,
      name: => String
  ): Unit =
    if (isNegative)
      add(DoubleKeys.key(-greatest), DoubleKeys.key(-least), Some(DoubleKeys.key(-typical)), count, name)
    else add(DoubleKeys.key(least), DoubleKeys.key(greatest), Some(DoubleKeys.key(typical)), count, name)

  def sketch: ImportedSketch = {
    var i = 1
    while (i < size) { highs(i) = math.max(highs(i), highs(i - 1)); i += 1 }
    i = size - 2
    while (i >= 0) { lows(i) = math.min(lows(i), lows(i + 1)); i -= 1 }
    if (size == 0) ImportedSketch(limits.domain, 0.0, RankProfile.empty)
    else if (haveTypical.isEmpty) {
      val profile = CountedIntervals.profile(
        Arrays.copyOf(lows, size),
        Arrays.copyOf(highs, size),
        Arrays.copyOf(counts, size),
        total
      )
      ImportedSketch(limits.domain, 0.0, profile)
    } else withEstimates
  }

  private def withEstimates: ImportedSketch = {
    val keys =
      (lows.iterator.take(size) ++ highs.iterator.take(
        size
      ) ++ typicals.iterator.zipWithIndex.take(size).collect {
        case (key, i) if haveTypical.get(i) => key
      }).toArray.sorted.distinct
    val low, high, twice = new Array[Long](keys.length)
    def countAt(ranks: Array[Long], key: Long, count: Long): Unit =
      ranks(Arrays.binarySearch(keys, key)) += count
    var i = 0
    while (i < size) {
      countAt(high, lows(i), counts(i))
      countAt(low, highs(i), counts(i))
      if (haveTypical.get(i)) countAt(twice, typicals(i), 2 * counts(i))
      else {
        countAt(twice, lows(i), counts(i))
        countAt(twice, highs(i), counts(i))
      }
      i += 1
    }
    Seq(low, high, twice).foreach(Arrays.parallelPrefix(_, (a: Long, b: Long) => a + b))
    ImportedSketch(
      limits.domain,
      0.0,
      RankProfile.certain(keys.length, keys, low, high, total),
      Array.tabulate(keys.length)(j => twice(j) - low(j) - high(j))
    )
  }
}
