package chronosketch.spark.sql

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Cast.{toSQLExpr, toSQLType}
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal, RuntimeReplaceable, Unevaluable}
import org.apache.spark.sql.types._

import chronosketch.Refusal
import chronosketch.domain.Domain

/** Checks and converts event times and the `as_of` argument. */
object EventTime {

  /** The codec of a type, if event times can have this type. */
  def of(dataType: DataType): Option[KeyCodec] = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType =>
      KeyCodec.of(dataType)
    case _ => None
  }

  private def codecs: Seq[KeyCodec] =
    Seq(ByteType, ShortType, IntegerType, LongType, DateType, TimestampType, TimestampNTZType).flatMap(of)

  /** The codec of a domain of times. */
  def values(times: Domain): KeyCodec = codecs.find(_.domain == times).get

  /** The domain of times with this SQL name. */
  def named(sql: String): Option[Domain] = codecs.map(_.domain).find(_.sql == sql)

  /** The text of a time as a SQL value, not as its key. */
  def text(time: Long, times: Domain): String = {
    val codec = values(times)
    Literal(codec.value(time), codec.dataType).toString
  }

  /** Casts a bare NULL to a timestamp. Any type would do, because rows with a NULL time are ignored. */
  def typed(time: Expression): Expression =
    if (time.resolved && time.dataType == NullType) Cast(time, TimestampType) else time

  def check(function: String, argument: String, e: Expression): TypeCheckResult = {
    if (of(e.dataType).isEmpty) {
      throw Conditions.analysisError(
        "CHRONOSKETCH_UNSUPPORTED_TIME",
        e.origin,
        "function" -> function,
        "argument" -> argument,
        "sql" -> toSQLExpr(e),
        "type" -> toSQLType(e.dataType),
        "hint" -> hint(e)
      )
    }
    TypeCheckSuccess
  }

  private def hint(e: Expression): String = {
    val sql = Arguments.unqualified(e)
    e.dataType match {
      case _: StringType => s"If it holds times, use CAST($sql AS TIMESTAMP)."
      case _: NumericType =>
        s"If it counts seconds, use timestamp_seconds($sql). If it is any other number, use CAST($sql AS BIGINT)."
      case _ => "Choose the column that says when a row happened."
    }
  }

  /** Whether an optional constant is given, that is, not NULL. A constant that is known only when the query runs, such as the current
    * time, is given.
    */
  def isGiven(e: Expression): Boolean =
    !(e.resolved && e.foldable && !isLater(e) && Arguments.constant(e) == null)

  private def isLater(e: Expression): Boolean = e.exists {
    case _: RuntimeReplaceable => false
    case part => part.isInstanceOf[Unevaluable]
  }

  /** Checks for a constant that is not NULL, as far as this is known before the query runs. */
  def checkGiven(argument: String, inputType: String, e: Expression): TypeCheckResult = Arguments.all(
    () => Arguments.checkFoldable(argument, inputType, e),
    () => if (isGiven(e)) TypeCheckSuccess else Arguments.unexpectedNull(argument)
  )

  /** Refuses an `as_of` whose type can't be compared with the times of a sketch. */
  def checkComparable(e: Expression, value: Any, times: Domain): Unit =
    if (times.widen(of(e.dataType).get.domain).isEmpty) {
      throw Refusal(
        "CHRONOSKETCH_TIME_NOT_COMPARABLE",
        "asOf" -> Literal(value, e.dataType).sql,
        "times" -> times.sql,
        "example" -> times.example
      )
    }

  /** The key of a constant time among times of a domain; None if it turns out to be NULL. */
  def asOf(e: Expression, times: Domain): Option[Long] = Option(Arguments.constant(e)).map { value =>
    checkComparable(e, value, times)
    of(e.dataType).get.key(value)
  }
}
