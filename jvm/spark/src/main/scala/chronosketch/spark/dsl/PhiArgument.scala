package chronosketch.spark.dsl

import scala.language.implicitConversions

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.{array, lit}

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
