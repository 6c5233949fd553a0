package chronosketch.spark.sql

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StringType

/** What a quantile is where it falls between two values: one that came, or a number between two. */
private[spark] object Interpolation {
  val Nearest = "nearest"
  val Linear = "linear"

  /** Whether a constant names the straight line; what names nothing is refused. */
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
