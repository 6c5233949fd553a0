package chronosketch.spark.sql

import java.math.{BigDecimal, MathContext}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLId
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression}
import org.apache.spark.sql.types.NumericType

import chronosketch.summary.Parameter

/** Helps callers who pass the `accuracy` of `percentile_approx` instead of epsilon. */
object Accuracy {
  private val Epsilon = "epsilon"
  private val Name = "accuracy"

  /** `percentile_approx` takes whole numbers up to 2³¹. */
  private val Most = Int.MaxValue.toDouble
  private val Default = 10000.0

  /** A hint to append to the message about a value that is out of a parameter's range. */
  def hint(parameter: Parameter, value: Double): String =
    if (parameter.name == Epsilon && value > parameter.greatest)
      s"; epsilon = 1/accuracy, so ${example(value)}"
    else ""

  /** Rejects an argument named `accuracy`, as Spark rejects every unknown argument name. */
  def refuse(function: String, arguments: Seq[String], call: Seq[Expression]): Unit =
    if (arguments.contains(Epsilon)) call.foreach {
      case e @ NamedArgumentExpression(key, value) if key.equalsIgnoreCase(Name) =>
        val asked = value.dataType match {
          case _: NumericType if value.foldable && Arguments.constant(value) != null =>
            Arguments.number(Arguments.constant(value))
          case _ => Default
        }
        throw new AnalysisException(
          "UNRECOGNIZED_PARAMETER_NAME",
          Map(
            "routineName" -> toSQLId(function),
            "argumentName" -> toSQLId(key),
            "proposal" -> s"${toSQLId(Epsilon)}; epsilon = 1/accuracy, so ${example(asked)}"
          ),
          e.origin
        )
      case _ =>
    }

  /** An example: an accuracy and the epsilon equal to it. */
  private def example(accuracy: Double): String = {
    val shown = new BigDecimal(if (accuracy >= 2 && accuracy <= Most) accuracy else Default)
    val epsilon = BigDecimal.ONE.divide(shown, new MathContext(3))
    s"${plain(shown)} is ${plain(epsilon)}"
  }

  private def plain(number: BigDecimal): String = number.stripTrailingZeros.toPlainString
}
