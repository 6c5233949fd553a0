package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types._
import org.apache.spark.sql.types.DayTimeIntervalType.DAY

import chronosketch.spark.sql.{SparkLine, SqlValues}

/** One end of a frame, as SQL defines it. */
sealed abstract class FrameBound extends Serializable

/** The partition's own end. */
case object PartitionEnd extends FrameBound

/** So many rows further on, or back. */
final case class RowsAway(offset: Int) extends FrameBound

/** The first or the last of the rows that ORDER BY does not tell from the current one. */
case object Peers extends FrameBound

/** Where the order key has come so far from the current row's.
  *
  * @param moved  the order key of a row, moved: as Spark has it, of column 0
  * @param offset what it moves by, negated where the order is descending
  */
final case class KeyAway(moved: Expression, offset: Expression, isDescending: Boolean) extends FrameBound {
  def dataType: DataType = moved.collectFirst { case BoundReference(0, t, _) => t }.get
}

/** A frame, by its two ends. */
final case class FrameBounds(lower: FrameBound, upper: FrameBound)

object FrameBounds {

  /** Whether rows leave the frame on the way; else why Spark's own operator has O(1) to do for a row, where a function takes rows in
    * one at a time.
    */
  def slides(bounds: FrameBounds): Either[String, Unit] = bounds match {
    case FrameBounds(PartitionEnd, PartitionEnd) => Left("its frame is the whole partition")
    case FrameBounds(PartitionEnd, _) => Left("its frame only grows")
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
    case (_, UnboundedPreceding | UnboundedFollowing) => Right(PartitionEnd)
    case (RowFrame, CurrentRow) => Right(RowsAway(0))
    case (RangeFrame, CurrentRow) => Right(Peers)
    case (RowFrame, Literal(offset: Int, IntegerType)) => Right(RowsAway(offset))
    case (RangeFrame, offset: Literal) if order.size == 1 =>
      val ordered = order.head
      if (SqlValues.of(ordered.dataType).isEmpty) Left(s"its RANGE is one of ${ordered.dataType.sql}")
      else {
        val key = BoundReference(0, ordered.dataType, nullable = true)
        val signed = if (ordered.isAscending) offset else new UnaryMinus(offset)
        moved(key, signed, zone).map(KeyAway(_, signed, !ordered.isAscending)).toRight(
          s"its RANGE moves ${ordered.dataType.sql} by ${offset.dataType.sql}"
        )
      }
    case _ => Left(s"its frame ends at ${end.sql}")
  }

  /** What Spark adds up for a frame of its own. */
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
