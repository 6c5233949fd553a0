package chronosketch

/** Something the user asked for that cannot be done, under one condition.
  *
  * `condition` is a name from `error/chronosketch-conditions.json`, whose template the parameters fill; the SQL layer turns
  * it into Spark's own kind of error, with its SQLSTATE and the sentence that says what to do.
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
