package chronosketch.spark.sql

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

import chronosketch.Refusal
import chronosketch.domain.{Domain, Kind}

/** The length of a window or a retention as the user wrote it: an interval, or a number of units if times are whole numbers. */
sealed abstract class Span extends Serializable {

  /** The length in microseconds or units. */
  def length: Long

  /** The length in the units of a domain of times. Throws if it cannot be expressed in them. */
  def in(times: Domain): Long
}

object Span {
  private val MicrosPerSecond = 1000000L
  private val MicrosPerMinute = 60 * MicrosPerSecond
  private val MicrosPerHour = 60 * MicrosPerMinute
  private val MicrosPerDay = 24 * MicrosPerHour

  private val OutOfRange =
    s"it is out of range. An interval can have at most ${Long.MaxValue / MicrosPerDay} days"

  final case class Interval(micros: Long) extends Span {
    def length: Long = micros
    def in(times: Domain): Long = times.kind match {
      case Kind.Date => -Math.floorDiv(-micros, MicrosPerDay)
      case Kind.Timestamp | Kind.TimestampNtz => micros
      case _ => throw mismatch(this, times, "Give a whole number in the units of these times, as in 600")
    }
    override def toString: String = intervalText(micros)
  }

  final case class Units(count: Long) extends Span {
    def length: Long = count
    def in(times: Domain): Long =
      if (times.kind.isInteger) count
      else throw mismatch(this, times, "Give an interval, as in '10 minutes'")
    override def toString: String = count.toString
  }

  private def mismatch(span: Span, times: Domain, hint: String): Refusal =
    Refusal("CHRONOSKETCH_WINDOW_UNITS", "window" -> span.toString, "times" -> times.sql, "hint" -> hint)

  /** A length in the units of times, as a user would write it. */
  def text(units: Long, times: Domain): String = times.kind match {
    case Kind.Date => s"'${counted(units, "day")}'"
    case Kind.Timestamp | Kind.TimestampNtz => intervalText(units)
    case _ => units.toString
  }

  private def intervalText(micros: Long): String = {
    val seconds = micros % MicrosPerMinute
    val whole = Seq(
      micros / MicrosPerDay -> "day",
      micros % MicrosPerDay / MicrosPerHour -> "hour",
      micros % MicrosPerHour / MicrosPerMinute -> "minute"
    ).collect { case (n, unit) if n != 0 => counted(n, unit) }
    val rest =
      if (seconds == 0 && whole.nonEmpty) None
      else if (seconds % MicrosPerSecond == 0) Some(counted(seconds / MicrosPerSecond, "second"))
      else Some(s"${java.math.BigDecimal.valueOf(seconds, 6).stripTrailingZeros.toPlainString} seconds")
    (whole ++ rest).mkString("'", " ", "'")
  }

  private def counted(n: Long, unit: String): String = if (n == 1) s"1 $unit" else s"$n ${unit}s"

  /** Parses a constant that is not NULL and whose type passes [[isType]]. It must be above 0 and have no months. */
  def of(function: String, argument: String, e: Expression): Span = {
    def refuse(reason: String): Nothing = throw Conditions.analysisError(
      "CHRONOSKETCH_INVALID_WINDOW",
      e.origin,
      "function" -> function,
      "argument" -> argument,
      "window" -> written(e),
      "reason" -> reason
    )
    def interval(i: CalendarInterval): Span =
      if (i.months != 0) refuse("months have no fixed length. Write days, as in '30 days'")
      else
        try Interval(Math.addExact(Math.multiplyExact(i.days.toLong, MicrosPerDay), i.microseconds))
        catch { case _: ArithmeticException => refuse(OutOfRange) }
    val span = (Arguments.constant(e), e.dataType) match {
      case (micros: Long, _: DayTimeIntervalType) => Interval(micros)
      case (i: CalendarInterval, _) => interval(i)
      case (text: UTF8String, _) => interval(parsed(text).fold(refuse(_), identity))
      case (n: Number, whole) if isWhole(whole) => Units(n.longValue)
      case _ => refuse("months have no fixed length. Write days, as in '30 days'")
    }
    if (span.length <= 0) refuse("it must be above 0") else span
  }

  /** The argument as SQL. Text is shown by its value, even if an expression computes it. */
  private def written(e: Expression): String = e.dataType match {
    case text: StringType => Literal(Arguments.constant(e), text).sql
    case _ => Arguments.unqualified(e)
  }

  /** Parses the text of an interval, or returns why it is not one. Spark's own `window` accepts the same texts: those of a cast, such as
    * '1 hour', and those of a literal, such as "INTERVAL '1:30' HOUR TO MINUTE".
    */
  private def parsed(text: UTF8String): Either[String, CalendarInterval] = {
    def isOutOfRange(e: Throwable): Boolean = e match {
      case e: SparkThrowable => Option(e.getCondition).exists(_.endsWith("ARITHMETIC_EXCEPTION"))
      case _ => false
    }
    val lower = text.toString.toLowerCase(Locale.ROOT)
    try Right(IntervalUtils.stringToInterval(UTF8String.fromString(lower)))
    catch {
      case e if isOutOfRange(e) => Left(OutOfRange)
      case NonFatal(_) =>
        try Right(IntervalUtils.fromIntervalString(lower))
        catch {
          case NonFatal(e)
              if Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).exists(isOutOfRange) =>
            Left(OutOfRange)
          case NonFatal(_) => Left("it is not an interval. Write one, as in '10 minutes' or '1 day 12 hours'")
        }
    }
  }

  val Types = "INTERVAL, STRING or BIGINT"

  def isType(dataType: DataType): Boolean = dataType match {
    case _: DayTimeIntervalType | _: YearMonthIntervalType | CalendarIntervalType | _: StringType => true
    case _ => isWhole(dataType)
  }

  def isWhole(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }
}
