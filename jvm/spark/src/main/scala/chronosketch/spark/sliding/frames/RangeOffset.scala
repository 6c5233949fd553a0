package chronosketch.spark.sliding.frames

import java.time.ZoneId

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow, TimeZoneAwareExpression}
import org.apache.spark.sql.types._

import chronosketch.domain.DoubleKeys
import chronosketch.spark.sql.KeyCodec

/** Adds the offset of a RANGE frame to an order key.
  *
  * Guarantee  returns the key that Spark's own frame compares with, and fails with Spark's error. Spark's expression is evaluated if
  *            the sum leaves the range of the type, or if days or months differ in length
  * Cost       one addition for numbers, dates and times, otherwise one evaluation; nothing if the key is the same as last time
  */
final class RangeOffset(bound: RangeBound) {
  private val values = KeyCodec.of(bound.dataType).get
  private val isDescending = bound.isDescending
  private val row = new GenericInternalRow(1)
  private val expression: Expression = bound.moved
  private val isDouble = bound.dataType == DoubleType

  private val offset: Option[Any] =
    try Option(bound.offset.eval(InternalRow.empty))
    catch { case NonFatal(_) => None } // the first row that needs it reports the error
  private val step: Option[Long] = offset.flatMap(RangeOffset.step(bound, _))
  private val isSum = step.nonEmpty
  private val summand = step.getOrElse(0L)
  private val doubleSummand = if (isDouble) offset.fold(Double.NaN)(_.asInstanceOf[Double]) else 0.0
  private val isDoubleSum = isDouble && offset.nonEmpty

  // a sum of decimals may have one more digit than the type
  private val isDecimal = bound.dataType.isInstanceOf[DecimalType]
  private val least = if (isDecimal) Long.MinValue else values.domain.least
  private val greatest = if (isDecimal) Long.MaxValue else values.domain.greatest

  private var isFirst = true
  private var lastKey, lastMoved = 0L

  /** The key plus the offset. In descending order, keys are complements. */
  def plus(key: Long): Long = {
    if (isFirst || key != lastKey) {
      lastMoved = if (isDescending) ~move(~key) else move(key)
      lastKey = key
      isFirst = false
    }
    lastMoved
  }

  private def move(key: Long): Long =
    if (isSum) {
      val sum = key + summand
      val overflows = ((key ^ sum) & (summand ^ sum)) < 0
      if (overflows || sum < least || sum > greatest) evaluate(key) else sum
    } else if (isDoubleSum) DoubleKeys.key(DoubleKeys.value(key) + doubleSummand)
    else evaluate(key)

  private def evaluate(key: Long): Long = {
    row.update(0, values.value(key))
    values.key(expression.eval(row))
  }
}

private[spark] object RangeOffset {
  private val MicrosPerDay = 86400000000L

  /** The number to add to a key. None if it is not the same for every key. */
  def step(bound: RangeBound, offset: Any): Option[Long] = (bound.dataType, offset) match {
    case (
          ByteType | ShortType | IntegerType | LongType | _: YearMonthIntervalType | _: DayTimeIntervalType,
          n: Number
        ) => Some(n.longValue)
    case (d: DecimalType, by: Decimal) if by.scale == d.scale => Some(by.toUnscaledLong)
    case (DateType, days: Int) if bound.offset.dataType == IntegerType => Some(days.toLong)
    case (DateType, micros: Long) => Some(micros / MicrosPerDay)
    case (TimestampType | TimestampNTZType, micros: Long)
        if math.abs(micros / MicrosPerDay) == 0 || isFixed(bound) => Some(micros)
    case _ => None
  }

  /** Whether every day has 24 hours in the session's time zone. */
  private def isFixed(bound: RangeBound): Boolean = bound.dataType == TimestampNTZType ||
    bound.moved.collectFirst { case e: TimeZoneAwareExpression => e.timeZoneId }.flatten
      .exists(ZoneId.of(_).getRules.isFixedOffset)
}
