package chronosketch.spark.dsl

import java.time.Duration

import scala.language.implicitConversions

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.functions.{array, call_function, lit}
import org.apache.spark.sql.{Column, DataFrame, SparkSession, classic}

import chronosketch.spark.sql.SparkPrivates
import chronosketch.spark.table.SqlFunction

/** A phi, or several: a number, a sequence of numbers, or a column. Numbers become doubles, but a BigDecimal keeps all its digits. */
final class PhiArgument private (private[spark] val column: Column)

object PhiArgument {
  implicit def ofColumn(phi: Column): PhiArgument = new PhiArgument(phi)

  implicit def ofNumber[N: Numeric](phi: N): PhiArgument = new PhiArgument(one(phi))

  implicit def ofNumbers[N: Numeric](phis: Seq[N]): PhiArgument = new PhiArgument(
    if (phis.exists(_.isInstanceOf[BigDecimal])) array(phis.map(phi => one(phi)): _*)
    else lit(phis.map(implicitly[Numeric[N]].toDouble).toArray)
  )

  private def one[N: Numeric](phi: N): Column = phi match {
    case exact: BigDecimal => lit(exact)
    case number => lit(implicitly[Numeric[N]].toDouble(number))
  }
}

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

/** Calls the SQL function of a name. */
private[dsl] object Call {

  /** Calls the function by its full name, which no other function has. */
  def apply(name: String, arguments: Column*): Column =
    call_function(SqlFunction.fullName(name), arguments: _*)

  /** Calls the table function of a name with constants. */
  def table(spark: SparkSession, name: String, arguments: Column*): DataFrame = {
    val session = spark.asInstanceOf[classic.SparkSession]
    val constants = session.range(0).select(arguments: _*).queryExecution.analyzed.expressions.map {
      case Alias(constant, _) => constant
      case constant => constant
    }
    SparkPrivates.frame(session, UnresolvedTableValuedFunction(Seq(SqlFunction.fullName(name)), constants))
  }

  /** The placeholder for an optional argument that is not given. */
  def notGiven: Column = lit(null)
}
