package chronosketch.spark.rollup.rewrite

import java.time.{Instant, ZoneId, ZoneOffset}
import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import chronosketch.spark.rollup.{BucketWidth, RollupDefinition}

/** A definition's expressions over the columns of a query's table.
  *
  * @param by
  *   for each group its name and its expression, or None if it can't be used: its value depends on a session's settings, or equal values
  *   are not one and the same
  */
private[rewrite] final case class RollupExpressions(
    definition: RollupDefinition,
    time: Expression,
    by: Seq[(String, Option[Expression])],
    values: Seq[(String, Option[Expression])]
) {
  private val groups = by.collect { case (name, Some(e)) => name -> e }

  def value(e: Expression): Option[String] =
    values.collectFirst { case (name, Some(v)) if v.semanticEquals(e) => name }

  def isTime(e: Expression): Boolean = e.semanticEquals(time)

  /** An expression over a row of the roll-up, or None if it reads anything but groups, and the bucket if that is allowed.
    *
    * @param bucket
    *   replaces functions of the time that are the same for all times of a bucket
    */
  def overRollup(
      e: Expression,
      row: String => Attribute,
      bucket: Expression => Option[Expression]
  ): Option[Expression] = {
    def replace(e: Expression): Option[Expression] =
      groups.collectFirst { case (name, g) if g.semanticEquals(e) => row(name) }.orElse(bucket(e)).orElse {
        e match {
          case _: Attribute => None
          case other =>
            val children = other.children.map(replace)
            if (children.forall(_.nonEmpty)) Some(other.withNewChildren(children.flatten)) else None
        }
      }
    replace(e)
  }
}

private[rewrite] object RollupExpressions {

  /** Whether an expression has the same value whatever the settings of the session are. */
  def isSettled(e: Expression): Boolean = !e.exists {
    case _: Attribute | _: Literal | _: GetStructField | _: Upper | _: Lower | _: Substring | _: Concat | _: Coalesce =>
      false
    case _ => true
  }

  /** Whether equal values of a type can't be told from each other by any expression. */
  def isExact(dataType: DataType): Boolean = dataType match {
    case s: StringType => s == StringType
    case ByteType | ShortType | IntegerType | LongType | BooleanType | DateType | TimestampType | TimestampNTZType | BinaryType =>
      true
    case _: DecimalType => true
    case _ => false
  }
}

/** Decides which functions of a time are the same for all times in a bucket.
  *
  * @param isWindow
  *   whether an expression is `window(time, size, size, start)` for a size and a start in micros
  */
private[rewrite] final class NestedBuckets(
    definition: RollupDefinition,
    isTime: Expression => Boolean,
    isWindow: (Expression, Long, Long) => Boolean
) {
  import NestedBuckets._

  /** Whether each function of the time in an expression is the same in each bucket of a level. It may have none. */
  def nest(e: Expression, level: BucketWidth): Boolean = truncated(e) match {
    case Some(unit) => nests(unit, level)
    case None => e.children.forall(nest(_, level))
  }

  /** The function over the bucket instead of the time, if it is one that [[nest]] knows. */
  def overBucket(e: Expression, bucket: Attribute): Option[Expression] =
    truncated(e).map(_ => e.transform { case t if isTime(t) => bucket })

  private def truncated(e: Expression): Option[Truncation] = e match {
    case TruncTimestamp(Literal(format, _: StringType), time, zone)
        if isTime(time) && time.dataType == TimestampType =>
      Option(format).flatMap(f => unitOf(f.toString)).map(Truncation(_, zone.map(ZoneId.of)))
    case TruncDate(time, Literal(format, _: StringType)) if isTime(time) =>
      Option(format).flatMap(f => unitOf(f.toString)).filter(unit => unit != Minute && unit != Hour).map(
        Truncation(_, None)
      )
    case Cast(time, DateType, zone, _) if isTime(time) && time.dataType == TimestampType =>
      Some(Truncation(Day, zone.map(ZoneId.of)))
    case Cast(time, DateType, _, _) if isTime(time) && time.dataType == TimestampNTZType =>
      Some(Truncation(Day, None))
    case time if isTime(time) && time.dataType == DateType => Some(Truncation(Day, None))
    case struct: CreateNamedStruct => windowsOf(struct).map(Truncation(_, None))
    case _ => None
  }

  /** The windows that Spark's analysis writes as a struct of two computed times, derived from the window of time 0. */
  private def windowsOf(struct: CreateNamedStruct): Option[Windows] = {
    val atZero = struct.transformDown {
      case PreciseTimestampConversion(time, _, LongType) if isTime(time) => Literal(0L, LongType)
    }
    if (atZero == struct || atZero.references.nonEmpty || !atZero.deterministic) None
    else
      atZero.eval() match {
        case window: InternalRow
            if struct.valExprs.map(_.dataType).forall(_ == definition.timeType) && window.numFields == 2 =>
          val (start, end) = (window.getLong(0), window.getLong(1))
          Option.when(end > start && isWindow(struct, end - start, start))(Windows(end - start, start))
        case _ => None
      }
  }

  private def nests(truncation: Truncation, level: BucketWidth): Boolean = {
    val sameZone =
      if (definition.timeType == TimestampType)
        truncation.zone.exists(z => RollupDefinition.zoneOf(z.getId) == definition.zone)
      else truncation.zone.isEmpty
    truncation.unit match {
      // Spark cuts minutes off the time itself, in every zone
      case Minute => divides(level, MinuteMicros) && hasWholeHours(definition.zone)
      case Hour =>
        val zones = truncation.zone.toSeq :+ definition.zone
        divides(level, HourMicros) && zones.forall(hasWholeHours)
      // windows count from 1970 in UTC, in every zone of the session
      case Windows(size, start) =>
        isFixed(definition.zone) && size % level.micros == 0 &&
        Math.floorMod(start - level.startOf(0L, definition.zone), level.micros) == 0
      case Week if level.micros == 7 * BucketWidth.Day => sameZone && keepsDays(definition.zone)
      case _ => sameZone && level.micros <= BucketWidth.Day && keepsDays(definition.zone)
    }
  }
}

private[rewrite] object NestedBuckets {
  private val HourMicros = BucketWidth.Day / 24
  private val MinuteMicros = HourMicros / 60

  /** A unit that a time is truncated to, and the zone of that. */
  private final case class Truncation(unit: TimeUnit, zone: Option[ZoneId])

  private sealed trait TimeUnit
  private case object Minute extends TimeUnit
  private case object Hour extends TimeUnit
  private case object Day extends TimeUnit
  private case object Week extends TimeUnit
  private case object Longer extends TimeUnit

  /** Windows of a size that begin at `start` and at every multiple of the size from there, both in micros. */
  private final case class Windows(size: Long, start: Long) extends TimeUnit

  /** The unit that a format of date_trunc names. Others are not known here. */
  private def unitOf(format: String): Option[TimeUnit] = format.toUpperCase(Locale.ROOT) match {
    case "MINUTE" => Some(Minute)
    case "HOUR" => Some(Hour)
    case "DAY" | "DD" => Some(Day)
    case "WEEK" => Some(Week)
    case "MON" | "MONTH" | "MM" | "QUARTER" | "YEAR" | "YYYY" | "YY" => Some(Longer)
    case _ => None
  }

  private def divides(level: BucketWidth, micros: Long): Boolean =
    level.micros <= micros && micros % level.micros == 0

  def isFixed(zone: ZoneId): Boolean = zone.getRules.isFixedOffset

  private def hasWholeHours(zone: ZoneId): Boolean =
    isFixed(zone) && zone.getRules.getOffset(Instant.EPOCH).getTotalSeconds % 3600 == 0

  /** Whether a local day is one stretch of time: clocks were never put back across midnight. */
  def keepsDays(zone: ZoneId): Boolean = {
    val rules = zone.getRules
    val yearly = rules.getTransitionRules.asScala.map(_.createTransition(2030))
    zone == ZoneOffset.UTC || (rules.getTransitions.asScala ++ yearly).filter(_.isOverlap).forall { t =>
      val (before, after) = (t.getDateTimeBefore, t.getDateTimeAfter)
      // the last instant before the change is on the day of `before`, unless that is midnight
      before.minusNanos(1).toLocalDate == after.toLocalDate
    }
  }
}
