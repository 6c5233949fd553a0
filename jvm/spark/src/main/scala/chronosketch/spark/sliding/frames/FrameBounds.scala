package chronosketch.spark.sliding.frames

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types._
import org.apache.spark.sql.types.DayTimeIntervalType.DAY

import chronosketch.spark.sql.{KeyCodec, SparkVersion}

/** One end of a frame, as in SQL. */
sealed abstract class FrameBound extends Serializable

/** UNBOUNDED: the end of the partition. */
case object Unbounded extends FrameBound

/** ROWS: an offset of n rows; negative for PRECEDING. */
final case class RowsBound(offset: Int) extends FrameBound

/** RANGE … CURRENT ROW: the first or last peer of the current row. Peers are rows that ORDER BY does not distinguish. */
case object Peers extends FrameBound

/** RANGE with an offset: the first row whose order key reaches the current row's key plus the offset.
  *
  * @param moved  Spark's own sum of the row's order key, in column 0, and the offset
  * @param offset what is added; negated if the order is descending
  */
final case class RangeBound(moved: Expression, offset: Expression, isDescending: Boolean) extends FrameBound {
  def dataType: DataType = moved.collectFirst { case BoundReference(0, t, _) => t }.get
}

/** The two ends of a frame. */
final case class FrameBounds(lower: FrameBound, upper: FrameBound)

object FrameBounds {

  /** Checks that rows leave the frame as it moves, or says why none does. If none does, Spark's own operator costs O(1) a row for a
    * function that inserts one row at a time.
    */
  def slides(bounds: FrameBounds): Either[String, Unit] = bounds match {
    case FrameBounds(Unbounded, Unbounded) => Left("its frame is the whole partition")
    case FrameBounds(Unbounded, _) => Left("its frame only grows")
    case _ => Right(())
  }

  /** The bounds of a frame, or why the operator doesn't support it. */
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
      if (KeyCodec.of(ordered.dataType).isEmpty) Left(s"its RANGE is over ${ordered.dataType.sql}")
      else {
        val key = BoundReference(0, ordered.dataType, nullable = true)
        val signed = if (ordered.isAscending) offset else new UnaryMinus(offset)
        moved(key, signed, zone).map(RangeBound(_, signed, !ordered.isAscending)).toRight(
          s"its RANGE moves ${ordered.dataType.sql} by ${offset.dataType.sql}"
        )
      }
    case _ => Left(s"its frame ends at ${end.sql}")
  }

  /** The sum that Spark evaluates for its own frames. None for types that Spark can't add. */
  private def moved(key: Expression, offset: Expression, zone: String): Option[Expression] =
    (key.dataType, offset.dataType) match {
      case (DateType, IntegerType) => Some(DateAdd(key, offset))
      case (DateType, _: YearMonthIntervalType) => Some(DateAddYMInterval(key, offset))
      case (DateType, DayTimeIntervalType(DAY, DAY)) => Some(DateAdd(key, ExtractANSIIntervalDays(offset)))
      case (TimestampType | TimestampNTZType, _: YearMonthIntervalType) =>
        Some(TimestampAddYMInterval(key, offset, Some(zone)))
      case (TimestampType | TimestampNTZType, CalendarIntervalType | _: DayTimeIntervalType) =>
        Some(SparkVersion.timestampPlus(key, offset, zone))
      case (d: DecimalType, _: DecimalType) => Some(DecimalAddNoOverflowCheck(key, offset, d))
      case (a, b) if a == b => Some(new Add(key, offset))
      case _ => None
    }
}
