package chronosketch.spark.conditions

/** A query and its expected error. An empty text is not compared: it is Spark's, or contains numbers that may change. */
private[spark] final case class Case(
    what: String,
    query: String,
    condition: String,
    sqlState: String,
    text: String
)

private[spark] object Case {

  /** Spark's message for an argument of the wrong type or value. */
  def mismatch(call: String, reason: String): String =
    s"""Cannot resolve "$call" due to data type mismatch: $reason"""
}
