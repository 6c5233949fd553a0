package chronosketch.spark.sql

import org.apache.spark.sql.types._

import chronosketch.domain.{Domain, Kind}
import chronosketch.summary.{Family, Summary}
import chronosketch.summed.SummedFamily

/** The types of values that a function takes, with hints for values of other types.
  *
  * @param text the types, for a message
  */
sealed abstract class ValueTypes(val text: String) {

  /** The types, as part of a hint. */
  protected def named: String

  /** The hint for a text. */
  protected def texts(cast: String => String): String

  /** The hint for a type that has keys, but that the function does not take. */
  protected def keyed(domain: Domain, sql: String): String

  /** The hint that says what to write instead of a value whose type is not taken. */
  def hint(dataType: DataType, sql: String): String =
    KeyCodec.of(dataType).fold(hintFor(dataType, t => s"CAST($sql AS $t)"))(v => keyed(v.domain, sql))

  /** The hint for an array whose elements are not taken. */
  def hintForElements(element: DataType, sql: String): String =
    hintFor(element, t => s"CAST($sql AS ARRAY<$t>)")

  private def hintFor(dataType: DataType, cast: String => String): String = dataType match {
    case d: DecimalType =>
      val most = Domain.MaxDecimalPrecision
      val scale = math.min(math.max(d.scale, 0), most)
      s"A decimal can have at most $most digits here. Use ${cast(s"DECIMAL($most,$scale)")} " +
        s"if the values fit, or ${cast("DOUBLE")}, which rounds them."
    case BooleanType => s"Count it as 0 and 1 with ${cast("INT")}."
    case BinaryType =>
      "If it is a stored sketch, merge it with sketch_merge_agg or ask it with sketch_quantile."
    case _: StringType => texts(cast)
    case CalendarIntervalType =>
      "Use an INTERVAL DAY TO SECOND, as make_dt_interval makes it, or an INTERVAL YEAR TO MONTH, as make_ym_interval does."
    case _: ArrayType | _: MapType | _: StructType => s"Choose a field or an element that $named."
    case _ => s"Choose a column that $named."
  }
}

object ValueTypes {
  case object All extends ValueTypes("a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL") {
    protected def named: String = "has one of these types"
    protected def texts(cast: String => String): String =
      s"If it holds numbers, use ${cast("DOUBLE")}. If it holds times, use ${cast("TIMESTAMP")}."
    protected def keyed(domain: Domain, sql: String): String = s"Choose a column that $named."
  }

  sealed abstract class OnlyNumbers(text: String = "a number") extends ValueTypes(text) {
    protected def named: String = "is a number"
    protected def texts(cast: String => String): String = s"If it holds numbers, use ${cast("DOUBLE")}."
    protected def keyed(domain: Domain, sql: String): String =
      s"Turn it into a number, e.g. ${number(domain, sql)}."
  }

  case object Numbers extends OnlyNumbers()

  /** The types for `interpolation => 'linear'`. */
  case object Interpolated extends OnlyNumbers() {
    protected override def keyed(domain: Domain, sql: String): String =
      s"For one of the values, write interpolation => 'nearest'. For a line between two, turn it into a number, e.g. ${number(domain, sql)}."
  }

  /** The types for `sum => true`. */
  case object Summed extends OnlyNumbers("a number, if sum is true,") {
    protected override def keyed(domain: Domain, sql: String): String =
      s"For quantiles alone, leave out sum => true. For sums, turn it into a number, e.g. ${number(domain, sql)}."
  }

  /** The types that a family takes. */
  def of(family: Family[Summary]): ValueTypes = family match {
    case _: SummedFamily => Summed
    case other => if (other.takes(Domain.Timestamp)) All else Numbers
  }

  /** SQL that converts values of a non-numeric type to numbers, in the same order and without loss. */
  private def number(domain: Domain, sql: String): String = {
    def seconds(interval: String) = s"CAST(CAST($interval AS INTERVAL SECOND) AS DECIMAL(18,6))"
    domain.kind match {
      case Kind.Date => s"unix_date($sql)"
      case Kind.Timestamp => s"unix_micros($sql)"
      case Kind.TimestampNtz => seconds(s"$sql - TIMESTAMP_NTZ '1970-01-01 00:00:00'")
      case Kind.Time => s"time_to_micros($sql)"
      case Kind.YearMonthInterval => s"CAST(CAST($sql AS INTERVAL MONTH) AS INT)"
      case Kind.DayTimeInterval => seconds(sql)
      case _ => sql
    }
  }
}
