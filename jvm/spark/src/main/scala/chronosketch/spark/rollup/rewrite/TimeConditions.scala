package chronosketch.spark.rollup.rewrite

import java.time.{LocalDate, ZoneId}

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import chronosketch.spark.rollup.{BucketWidth, RollupDefinition}

/** Reads conditions on a time as a range of micros. */
private[rewrite] final class TimeConditions(isTime: Expression => Boolean) {

  /** The range of times that meet a condition. A NULL time meets none of those that this knows. */
  def range(condition: Expression): Option[TimeRange] = condition match {
    case IsNotNull(time) if isTime(time) => Some(TimeRange.all)
    case comparison: BinaryComparison =>
      (comparison.left, comparison.right) match {
        case (left, Literal(value, _)) if value != null => compared(comparison, left, value)
        case (Literal(value, _), right) if value != null =>
          flipped(comparison).flatMap(compared(_, right, value))
        case _ => None
      }
    case _ => None
  }

  private def flipped(comparison: BinaryComparison): Option[BinaryComparison] = comparison match {
    case LessThan(a, b) => Some(GreaterThan(b, a))
    case LessThanOrEqual(a, b) => Some(GreaterThanOrEqual(b, a))
    case GreaterThan(a, b) => Some(LessThan(b, a))
    case GreaterThanOrEqual(a, b) => Some(LessThanOrEqual(b, a))
    case EqualTo(a, b) => Some(EqualTo(b, a))
    case _ => None
  }

  /** The range of a comparison with a value. Each value is itself a range of micros: one micro, or a day. */
  private def compared(comparison: BinaryComparison, left: Expression, value: Any): Option[TimeRange] =
    unit(left, value).flatMap { case TimeRange(start, end) =>
      comparison match {
        case _: LessThan => Some(TimeRange(Long.MinValue, start))
        case _: LessThanOrEqual => Some(TimeRange(Long.MinValue, end))
        case _: GreaterThan => Some(TimeRange(end, Long.MaxValue))
        case _: GreaterThanOrEqual => Some(TimeRange(start, Long.MaxValue))
        case _: EqualTo => Some(TimeRange(start, end))
        case _ => None
      }
    }

  private def unit(left: Expression, value: Any): Option[TimeRange] = (left, value) match {
    case (time, micros: Long)
        if isTime(time) && (time.dataType == TimestampType || time.dataType == TimestampNTZType) =>
      Try(TimeRange(micros, Math.addExact(micros, 1L))).toOption
    case (time, day: Int) if isTime(time) && time.dataType == DateType =>
      Some(TimeRange(day * BucketWidth.Day, (day + 1L) * BucketWidth.Day))
    case (Cast(time, DateType, Some(zone), _), day: Int) if isTime(time) && time.dataType == TimestampType =>
      val id = RollupDefinition.zoneOf(zone)
      Option.when(NestedBuckets.keepsDays(id))(day).flatMap(d => dayIn(id, d.toLong))
    case (Cast(time, DateType, _, _), day: Int) if isTime(time) && time.dataType == TimestampNTZType =>
      Some(TimeRange(day * BucketWidth.Day, (day + 1L) * BucketWidth.Day))
    case _ => None
  }

  private def dayIn(zone: ZoneId, day: Long): Option[TimeRange] = Try {
    def start(d: Long) =
      Math.multiplyExact(LocalDate.ofEpochDay(d).atStartOfDay(zone).toEpochSecond, 1000000L)
    TimeRange(start(day), start(day + 1))
  }.toOption
}
