package chronosketch.spark.rollup

import java.time.{ZoneId, ZoneOffset}

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.util.DateTimeUtils.{daysToMicros, microsToDays}
import org.apache.spark.sql.functions._

import chronosketch.spark.rollup.BucketWidth._

/** The width of a level's buckets: a number of days, or a shorter width that divides a day.
  *
  * Buckets below a day count from the start of the day in a zone, so they never cross it. Buckets of days count local days from a
  * Monday. Times are microseconds since 1970; those of types without a zone are local, with the zone UTC.
  *
  * @param level
  *   the width as the user wrote it, in lower case: the name of the level
  */
final case class BucketWidth(level: String, micros: Long) {
  private val days = (micros / Day).toInt

  /** The start of the bucket of a time. Both are micros. [[startOf(time:Long* startOf]] is the same for rows. */
  def startOf(time: Long, zone: ZoneId): Long = {
    val local = microsToDays(time, zone)
    if (days > 0) daysToMicros(firstDay(local), zone)
    else {
      val start = daysToMicros(local, zone)
      start + Math.floorDiv(time - start, micros) * micros
    }
  }

  /** The start of the bucket of each row's time. The session's time zone has no part in it. */
  def startOf(time: Column, zone: ZoneId): Column = {
    def floor(value: Column, width: Long) = value - pmod(value, lit(width))
    if (zone == ZoneOffset.UTC)
      if (days > 0) floor(time - Monday * Day, micros) + Monday * Day else floor(time, micros)
    else {
      val local = unix_micros(from_utc_timestamp(timestamp_micros(time), zone.getId))
      def instantOf(midnight: Column) = unix_micros(to_utc_timestamp(timestamp_micros(midnight), zone.getId))
      if (days > 0) instantOf(floor(local - Monday * Day, micros) + Monday * Day)
      else {
        val start = instantOf(floor(local, Day))
        start + floor(time - start, micros)
      }
    }
  }

  /** The end of the bucket that begins at `start`, which is the start of the next one. */
  def endOf(start: Long, zone: ZoneId): Long = {
    val local = microsToDays(start, zone)
    if (days > 0) daysToMicros(firstDay(local) + days, zone)
    else Math.min(start + micros, daysToMicros(local + 1, zone))
  }

  private def firstDay(day: Int): Int = day - Math.floorMod(day - Monday, days)
}

object BucketWidth {
  val Day: Long = 24L * 60 * 60 * 1000000

  /** Day -3 before 1970 is a Monday. */
  private val Monday = -3

  /** Parses a width such as '15 minutes' or '1 day', or returns why it is none. */
  def parse(text: String): Either[String, BucketWidth] = {
    val level = text.trim.toLowerCase(java.util.Locale.ROOT).split("\\s+").mkString(" ")
    RollupDefinition.intervalOf(level) match {
      case None => Left("an interval above 0 without months, as in '1 hour' or '30 days'")
      case Some(micros) =>
        if (if (micros > Day) micros % Day == 0 else Day % micros == 0) Right(BucketWidth(level, micros))
        else Left("an interval that divides a day, or a number of days, so that buckets begin with the day")
    }
  }
}
