package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Literal

/** The arguments that several functions take, each with the one meaning it has. */
private[table] object SharedArguments {
  val value: Argument = Argument(
    "value",
    "what is measured: a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or INTERVAL. NULLs are skipped."
  )
  val phi: Argument = Argument(
    "phi",
    "the share of the values at or below the answer, in [0, 1]: 0.99 for the 99th percentile. An array asks for several at once."
  )
  val frequency: Argument = Argument(
    "frequency",
    "a whole-number column: how many copies of the value each row stands for. NULL and 0 count nothing.",
    Defaults.notGiven
  )
  val weight: Argument = Argument(
    "frequency",
    "a whole-number or DECIMAL column: how many copies of the value each row stands for, or what it weighs. NULL and 0 count nothing.",
    Defaults.notGiven
  )
  val interpolation: Argument = Argument(
    "interpolation",
    "'nearest' answers with a value that came, 'linear' with a number between two, as percentile_cont does.",
    Some(Literal(Defaults.Interpolation))
  )
  def epsilon(default: Double): Argument = Argument(
    "epsilon",
    "the rank error allowed, as a share of the count, in [0, 0.5]. 0 is exact, in memory that grows with the data.",
    Some(Literal(default))
  )
  val sketch: Argument = Argument("sketch", "a BINARY sketch of any family.")
  def typed(of: String): Argument = Argument(
    "type",
    s"the name of the type $of: the sketch's own for dates, times and intervals; any number type for numbers.",
    Some(Literal(Defaults.Type))
  )
  val eventTime: Argument = Argument(
    "event_time",
    "when the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL time are ignored."
  )
  val window: Argument = Argument(
    "window",
    "the rows meant, back from the newest: an interval, its text, or within_last(interval), among_last(n) and conditions put together with AND and OR."
  )
  val asOf: Argument = Argument(
    "as_of",
    "a constant of event_time's type. Windows end there, and later rows do not count.",
    Defaults.notGiven
  )
  val retention: Argument = Argument(
    "retention",
    "how far back windows may reach: an interval, or a whole number of event_time's units. Without it everything is kept.",
    Defaults.notGiven
  )
  val filters: Argument = Argument(
    "filters",
    "conditions on rows under names, map('errors', status >= 500), for windows over the rows that pass. At most 6.",
    Defaults.notGiven
  )
  val points: Argument = Argument("points", "an array of values that strictly increase.")
}
