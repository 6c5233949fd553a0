package chronosketch.spark.sketch

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types.{NullType, StringType, TimestampNTZType, TimestampType}

import chronosketch.Refusal
import chronosketch.domain.{Conversion, Domain}
import chronosketch.rank.RankProfile
import chronosketch.spark.sql.{Arguments, Conditions, KeyCodec}

/** Resolves the type of an answer, converts keys to it, and finds the position of a value in a profile. */
private[spark] object Questions {

  /** Throws if values cannot be converted to a type. The error names a type that can be used. */
  def refuseUnconvertible(from: Domain, to: KeyCodec, call: String => String): Unit =
    if (!Conversion.allowed(from, to.domain)) {
      throw Refusal(
        "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE",
        "asked" -> to.domain.sql,
        "held" -> from.sql,
        "call" -> call(from.sql.toLowerCase(Locale.ROOT))
      )
    }

  /** Checks the argument `type`: a constant that names a type with keys. */
  def checkType(function: String, position: Int, e: Expression): TypeCheckResult =
    Arguments.checkConstant("type", "STRING", e) {
      e.dataType match {
        case _: StringType =>
          if (namedType(e).isEmpty) {
            throw Conditions.analysisError(
              "CHRONOSKETCH_INVALID_TYPE_NAME",
              e.origin,
              "function" -> function,
              "type" -> Arguments.constant(e).toString
            )
          }
          TypeCheckSuccess
        case _ => Arguments.unexpectedType(position, "STRING", e)
      }
    }

  private def namedType(e: Expression): Option[KeyCodec] =
    try
      CatalystSqlParser.parseDataType(Arguments.constant(e).toString) match {
        case NullType => None // the type of a bare NULL: no value has it
        case dataType => KeyCodec.of(dataType)
      }
    catch { case NonFatal(_) => None }

  /** Replaces TIMESTAMP by the type it stands for. A setting chooses between two types and may change later, so it is read once. */
  def settledType(e: Expression): Expression =
    if (!e.resolved || !e.foldable || !e.dataType.isInstanceOf[StringType]) e
    else
      namedType(e).map(_.dataType) match {
        case Some(TimestampType) => Literal("timestamp_ltz")
        case Some(TimestampNTZType) => Literal("timestamp_ntz")
        case _ => e
      }

  def typeNamed(e: Expression): KeyCodec = namedType(e).get

  /** Converts a key of the sketch to a value of the requested type. `call` returns the call to suggest, given the name of a type. */
  def convert(
      key: Long,
      from: Domain,
      to: KeyCodec,
      rounding: Conversion.Rounding,
      call: String => String
  ): Any = {
    refuseUnconvertible(from, to, call)
    to.value(Conversion.convert(key, from, to.domain, rounding))
  }

  /** The position in a profile of the greatest value that is not above the given value. */
  def position(profile: RankProfile, held: Domain, values: KeyCodec, value: Any): Int = {
    val asked = values.domain
    val key = values.key(value)
    if (asked.isNumeric && held.isNumeric) Conversion.floor(key, asked, held).fold(-1)(profile.position)
    else if (asked.kind == held.kind) profile.position(key)
    else throw Conversion.notComparable(asked, held)
  }
}
