package chronosketch

/** An error caused by a request or an input that cannot be processed.
  *
  * `condition` is a name in `error/chronosketch-conditions.json`; the parameters fill its message template. The SQL layer turns
  * a refusal into a Spark error with an SQLSTATE and a sentence that says what to do.
  */
final class Refusal(val condition: String, val parameters: Map[String, String], cause: Throwable = null)
    extends RuntimeException(
      parameters.toSeq.sorted.map { case (k, v) => s"$k = $v" }.mkString(s"[$condition] ", ", ", ""),
      cause
    )

object Refusal {
  def apply(condition: String, parameters: (String, String)*): Refusal =
    new Refusal(condition, parameters.toMap)
}
