package chronosketch.spark.rollup.rewrite

import java.time.ZoneId

import chronosketch.spark.rollup.BucketWidth

/** A range of times in micros, from `start` until before `end`. Long.MinValue and Long.MaxValue stand for no bound. */
private[rewrite] final case class TimeRange(start: Long, end: Long) {
  def isEmpty: Boolean = start >= end
  def isBounded: Boolean = start != Long.MinValue && end != Long.MaxValue
  def length: Double = end.toDouble - start.toDouble
  def intersect(other: TimeRange): TimeRange =
    TimeRange(Math.max(start, other.start), Math.min(end, other.end))
}

private[rewrite] object TimeRange {
  val all: TimeRange = TimeRange(Long.MinValue, Long.MaxValue)
}

/** Splits a range of time into whole buckets of levels, as coarse as fit, and the rest.
  *
  * @param buckets
  *   for each level the ranges that its buckets fill
  * @param rest
  *   the ranges that no whole bucket fills
  */
private[rewrite] final case class TimeCover(buckets: Map[BucketWidth, Seq[TimeRange]], rest: Seq[TimeRange]) {
  def ranges: Seq[TimeRange] = buckets.values.flatten.toSeq

  private def ++(other: TimeCover): TimeCover = {
    val levels = (buckets.keySet ++ other.buckets.keySet).toSeq
    TimeCover(
      levels.map(l => l -> (buckets.getOrElse(l, Nil) ++ other.buckets.getOrElse(l, Nil))).toMap,
      rest ++ other.rest
    )
  }
}

private[rewrite] object TimeCover {
  private val nothing = TimeCover(Map.empty, Nil)

  /** Covers a range.
    *
    * @param levels
    *   the levels, the coarsest first
    * @param begins
    *   the start of the first bucket of each level that has lost older ones
    */
  def of(range: TimeRange, levels: Seq[BucketWidth], begins: Map[String, Long], zone: ZoneId): TimeCover =
    if (range.isEmpty) nothing
    else levels.headOption match {
      case None => TimeCover(Map.empty, Seq(range))
      case Some(level) =>
        val finer = levels.tail
        val first = begins.get(level.level).fold(range.start)(Math.max(_, range.start))
        val start = if (first == Long.MinValue) first else startFrom(level, first, zone)
        val end = if (range.end == Long.MaxValue) range.end else level.startOf(range.end, zone)
        if (start >= end) of(range, finer, begins, zone)
        else
          of(TimeRange(range.start, start), finer, begins, zone) ++ TimeCover(
            Map(level -> Seq(TimeRange(start, end))),
            Nil
          ) ++
            of(TimeRange(end, range.end), finer, begins, zone)
    }

  /** The start of the first bucket that does not begin before a time. */
  private def startFrom(level: BucketWidth, time: Long, zone: ZoneId): Long = {
    val start = level.startOf(time, zone)
    if (start == time) start else level.endOf(start, zone)
  }
}
