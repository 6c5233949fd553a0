package chronosketch.spark.sql

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StringType

/** The ways to answer a quantile between two values: the nearest value, or a number on the line between them. */
private[spark] object Interpolation {
  val Nearest = "nearest"
  val Linear = "linear"

  /** Whether a constant names linear interpolation. An unknown name is rejected. */
  def isLinear(function: String, e: Expression): Boolean = {
    val text = e.dataType match {
      case _: StringType if e.foldable => Arguments.constant(e)
      case _ => null
    }
    val named = if (text == null) "" else text.toString.toLowerCase(Locale.ROOT)
    if (named != Nearest && named != Linear) {
      throw Conditions.analysisError(
        "CHRONOSKETCH_UNKNOWN_INTERPOLATION",
        e.origin,
        "function" -> function,
        "interpolation" -> (if (text == null) Arguments.unqualified(e) else s"'$text'")
      )
    }
    named == Linear
  }
}
