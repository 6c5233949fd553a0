package chronosketch.spark.sliding.frames

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types._
import org.apache.spark.sql.types.DayTimeIntervalType.DAY

import chronosketch.spark.sql.{SparkLine, SqlValues}

/** One end of a frame, as SQL defines it. */
sealed abstract class FrameBound extends Serializable

/** UNBOUNDED: the partition's own end. */
case object Unbounded extends FrameBound

/** ROWS: so many rows further on, or back. */
final case class RowsBound(offset: Int) extends FrameBound

/** RANGE … CURRENT ROW: the first or the last of the current row's peers, the rows that ORDER BY does not tell from it. */
case object Peers extends FrameBound

/** RANGE with an offset: where the order key reaches the current row's key plus the offset.
  *
  * @param moved  Spark's own sum of a row's order key, which is column 0, and the offset
  * @param offset what is added; negated where the order is descending
  */
final case class RangeBound(moved: Expression, offset: Expression, isDescending: Boolean) extends FrameBound {
  def dataType: DataType = moved.collectFirst { case BoundReference(0, t, _) => t }.get
}

/** A frame, by its two ends. */
final case class FrameBounds(lower: FrameBound, upper: FrameBound)

object FrameBounds {

  /** Whether rows leave the frame as it moves. Where none does, says why: there Spark's own operator costs O(1) a row for a function
    * that takes in one row at a time.
    */
  def slides(bounds: FrameBounds): Either[String, Unit] = bounds match {
    case FrameBounds(Unbounded, Unbounded) => Left("its frame is the whole partition")
    case FrameBounds(Unbounded, _) => Left("its frame only grows")
    case _ => Right(())
  }

  /** The bounds of a frame, or why there are none. */
  def of(frame: SpecifiedWindowFrame, order: Seq[SortOrder], zone: String): Either[String, FrameBounds] =
    for {
      lower <- bound(frame.frameType, frame.lower, order, zone)
      upper <- bound(frame.frameType, frame.upper, order, zone)
    } yield FrameBounds(lower, upper)

  private def bound(
      frameType: FrameType,
      end: Expression,
      order: Seq[SortOrder],
      zone: String
  ): Either[String, FrameBound] = (frameType, end) match {
    case (_, UnboundedPreceding | UnboundedFollowing) => Right(Unbounded)
    case (RowFrame, CurrentRow) => Right(RowsBound(0))
    case (RangeFrame, CurrentRow) => Right(Peers)
    case (RowFrame, Literal(offset: Int, IntegerType)) => Right(RowsBound(offset))
    case (RangeFrame, offset: Literal) if order.size == 1 =>
      val ordered = order.head
      if (SqlValues.of(ordered.dataType).isEmpty) Left(s"its RANGE is over ${ordered.dataType.sql}")
      else {
        val key = BoundReference(0, ordered.dataType, nullable = true)
        val signed = if (ordered.isAscending) offset else new UnaryMinus(offset)
        moved(key, signed, zone).map(RangeBound(_, signed, !ordered.isAscending)).toRight(
          s"its RANGE moves ${ordered.dataType.sql} by ${offset.dataType.sql}"
        )
      }
    case _ => Left(s"its frame ends at ${end.sql}")
  }

  /** The sum that Spark evaluates for its own frames; none where it has none. */
  private def moved(key: Expression, by: Expression, zone: String): Option[Expression] =
    (key.dataType, by.dataType) match {
      case (DateType, IntegerType) => Some(DateAdd(key, by))
      case (DateType, _: YearMonthIntervalType) => Some(DateAddYMInterval(key, by))
      case (DateType, DayTimeIntervalType(DAY, DAY)) => Some(DateAdd(key, ExtractANSIIntervalDays(by)))
      case (TimestampType | TimestampNTZType, _: YearMonthIntervalType) =>
        Some(TimestampAddYMInterval(key, by, Some(zone)))
      case (TimestampType | TimestampNTZType, CalendarIntervalType | _: DayTimeIntervalType) =>
        Some(SparkLine.timestampPlus(key, by, zone))
      case (d: DecimalType, _: DecimalType) => Some(DecimalAddNoOverflowCheck(key, by, d))
      case (a, b) if a == b => Some(new Add(key, by))
      case _ => None
    }
}
