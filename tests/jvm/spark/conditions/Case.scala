package chronosketch.spark.conditions

/** A query and what is said of it; no text: it is not ours to say, or has numbers that may change. */
private[spark] final case class Case(
    what: String,
    query: String,
    condition: String,
    sqlState: String,
    text: String
)

private[spark] object Case {

  /** What Spark says of an argument that does not fit. */
  def mismatch(call: String, what: String): String =
    s"""Cannot resolve "$call" due to data type mismatch: $what"""
}
