package chronosketch.spark.sql

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Cast.{toSQLExpr, toSQLType}
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal, RuntimeReplaceable, Unevaluable}
import org.apache.spark.sql.types._

import chronosketch.Refusal
import chronosketch.domain.Domain

/** Which times there are, and what an `as_of` means among them. */
object EventTime {

  /** The door of a type that times can have. */
  def of(dataType: DataType): Option[SqlValues] = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType =>
      SqlValues.of(dataType)
    case _ => None
  }

  private def doors: Seq[SqlValues] =
    Seq(ByteType, ShortType, IntegerType, LongType, DateType, TimestampType, TimestampNTZType).flatMap(of)

  /** The door of a domain that times have. */
  def values(times: Domain): SqlValues = doors.find(_.domain == times).get

  /** The domain of times that SQL calls so. */
  def named(sql: String): Option[Domain] = doors.map(_.domain).find(_.sql == sql)

  /** A time as a user knows it, not the day's number. */
  def text(time: Long, times: Domain): String = {
    val door = values(times)
    Literal(door.value(time), door.dataType).toString
  }

  /** NULL as a time is none of any type: there will never be a row. */
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

  /** Whether a constant that may be left out was: it is NULL. One that only a running query knows, as the current time, is
    * given.
    */
  def isGiven(e: Expression): Boolean =
    !(e.resolved && e.foldable && !isLater(e) && Arguments.constant(e) == null)

  private def isLater(e: Expression): Boolean = e.exists {
    case _: RuntimeReplaceable => false
    case part => part.isInstanceOf[Unevaluable]
  }

  /** A constant that is not NULL, as far as that is known before the query runs. */
  def checkGiven(argument: String, inputType: String, e: Expression): TypeCheckResult = Arguments.all(
    () => Arguments.checkFoldable(argument, inputType, e),
    () => if (isGiven(e)) TypeCheckSuccess else Arguments.unexpectedNull(argument)
  )

  /** A constant time. */
  def checkAsOf(function: String, e: Expression): TypeCheckResult =
    Arguments.all(
      () => Arguments.checkFoldable("as_of", "the type of event_time", e),
      () => check(function, "as_of", e)
    )

  /** The key of a constant time among times of a type; none where it turns out to be NULL. */
  def asOf(e: Expression, times: Domain): Option[Long] = Option(Arguments.constant(e)).map { value =>
    val door = of(e.dataType).get
    if (times.widen(door.domain).isEmpty) {
      throw Refusal(
        "CHRONOSKETCH_TIME_NOT_COMPARABLE",
        "asOf" -> Literal(value, e.dataType).sql,
        "times" -> times.sql,
        "example" -> times.example
      )
    }
    door.key(value)
  }
}
