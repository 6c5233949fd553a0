package chronosketch.spark.sql

import org.apache.spark.sql.types._

import chronosketch.domain.Domain
import chronosketch.summary.{Family, Summary}

/** Which types of values a function takes, and what to write where a value has another.
  *
  * @param text the types, for a message
  */
sealed abstract class ValueTypes(val text: String) {
  protected def texts(sql: String): String
  protected def others: String

  /** For a type that has no keys. */
  def hint(dataType: DataType, sql: String): String = dataType match {
    case d: DecimalType =>
      val scale = math.min(math.max(d.scale, 0), Domain.MaxDecimalPrecision)
      s"A decimal can have at most ${Domain.MaxDecimalPrecision} digits here. Use CAST($sql AS DECIMAL(${Domain.MaxDecimalPrecision},$scale)) " +
        s"or CAST($sql AS DOUBLE)."
    case BooleanType => s"Count it as 0 and 1 with CAST($sql AS INT)."
    case BinaryType =>
      "If it is a stored sketch, merge it with sketch_merge_agg or ask it with sketch_quantile."
    case _: StringType => texts(sql)
    case _ => others
  }
}

object ValueTypes {
  case object All extends ValueTypes("a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL") {
    protected def texts(sql: String): String =
      s"If it holds numbers, use CAST($sql AS DOUBLE). If it holds times, use CAST($sql AS TIMESTAMP)."
    protected def others: String =
      "If it is nested, choose a field or an element that has one of these types."
  }

  case object Numbers extends ValueTypes("a number") {
    protected def texts(sql: String): String = s"If it holds numbers, use CAST($sql AS DOUBLE)."
    protected def others: String = "If it is nested, choose a field or an element that is a number."
  }

  /** Those that a family takes. */
  def of(family: Family[Summary]): ValueTypes = if (family.takes(Domain.Timestamp)) All else Numbers
}
