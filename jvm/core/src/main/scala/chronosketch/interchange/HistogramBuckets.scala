package chronosketch.interchange

import java.util.Arrays

import chronosketch.counted.ElementCount
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.rank.{CountedIntervals, RankProfile}

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

/** Collects the buckets of a histogram in increasing order, and derives rank bounds from them.
  *
  * Guarantee  rank bounds that hold wherever in its bucket each value is
  * Cost       O(1) per bucket; 24 bytes per bucket that has values
  * Units      keys of the limits' type
  */
private[interchange] final class HistogramBuckets(limits: Limits, maxBuckets: Int) {
  private var lows, highs, counts = new Array[Long](math.min(maxBuckets, 64))
  private var size = 0
  private var total = 0L

  /** Adds the next bucket, with values from `low` to `high`. Neighbouring buckets may overlap, because edges may not be known exactly. */
  def add(low: Long, high: Long, count: Long, name: => String): Unit = {
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
        counts = Arrays.copyOf(counts, room)
      }
      lows(size) = from
      highs(size) = to
      counts(size) = count
      size += 1
      total += count
    }
  }

  /** Adds the next bucket of doubles, given its least and greatest magnitude. */
  def addMagnitudes(
      least: Double,
      greatest: Double,
      isNegative: Boolean,
      count: Long,
      name: => String
  ): Unit =
    if (isNegative) add(DoubleKeys.key(-greatest), DoubleKeys.key(-least), count, name)
    else add(DoubleKeys.key(least), DoubleKeys.key(greatest), count, name)

  def sketch: ImportedSketch = {
    var i = 1
    while (i < size) { highs(i) = math.max(highs(i), highs(i - 1)); i += 1 }
    i = size - 2
    while (i >= 0) { lows(i) = math.min(lows(i), lows(i + 1)); i -= 1 }
    val profile =
      if (size == 0) RankProfile.empty
      else
        CountedIntervals.profile(
          Arrays.copyOf(lows, size),
          Arrays.copyOf(highs, size),
          Arrays.copyOf(counts, size),
          total
        )
    ImportedSketch(limits.domain, 0.0, profile)
  }
}
