package chronosketch.spark.dsl

import java.time.Duration

import scala.language.implicitConversions

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.lit

/** A length of time: the text of an interval, a duration, a whole number if the times are whole numbers, or a column. A window may
  * also be a column of conditions, such as `within_last("1 hour") && failed`.
  */
final class SpanArgument private (private[spark] val column: Column)

object SpanArgument {
  implicit def ofColumn(span: Column): SpanArgument = new SpanArgument(span)
  implicit def ofText(interval: String): SpanArgument = new SpanArgument(lit(interval))
  implicit def ofDuration(duration: Duration): SpanArgument = new SpanArgument(lit(duration))
  implicit def ofLong(units: Long): SpanArgument = new SpanArgument(lit(units))
  implicit def ofInt(units: Int): SpanArgument = ofLong(units.toLong)
}
