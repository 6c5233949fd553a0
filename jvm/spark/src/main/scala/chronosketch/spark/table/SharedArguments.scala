package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Literal

/** The arguments that several functions take. Each means the same in all of them. */
private[spark] object SharedArguments {
  val value: Argument = Argument(
    "value",
    "what is measured: a number (a DECIMAL has at most 18 digits), DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or INTERVAL. NULL is skipped. NaN counts as the largest number."
  )
  private val share =
    "the share of the values that are at or below the quantile, from 0 to 1. 0.99 asks for the 99th percentile."
  val phi: Argument = Argument(
    "phi",
    s"$share It is a constant. An array asks for several at once, and the answer is an array in the same order."
  )

  /** The phi of a question to a stored sketch: a constant or a column. */
  val phiOrColumn: Argument = Argument(
    "phi",
    s"$share An array asks for several at once, and the answer is an array in the same order. A column gives each row a phi of its own. NULL gives NULL."
  )

  /** The phi of a table function that returns one row for each phi. */
  val phiOfRows: Argument =
    Argument("phi", s"$share It is a constant. An array asks for several at once: each gets a row.")
  val frequency: Argument = Argument(
    "frequency",
    "a whole-number column: how many copies of the value each row stands for. Rows with NULL or 0 are ignored, and a number below 0 is an error. Without it each row counts once.",
    Defaults.notGiven
  )
  val weight: Argument = Argument(
    "frequency",
    "a whole-number or DECIMAL column: how many copies of the value each row stands for, or its weight. Rows with NULL or 0 are ignored, and a number below 0 is an error. Without it each row counts once.",
    Defaults.notGiven
  )
  val interpolation: Argument = Argument(
    "interpolation",
    "'nearest' answers with one of the values. 'linear' answers with a number between two of them, as percentile_cont does; the values must be numbers then.",
    Some(Literal(Defaults.Interpolation))
  )
  val tail: Argument = Argument(
    "tail",
    "the end of the values where you need a smaller error. 'high' makes epsilon a share of the values from the quantile up only: the one at p99.9 is then a thousand times smaller than at the minimum. 'low' makes it a share of those up to the quantile, and 'both' of the fewer of the two. Without it the error is the same everywhere.",
    Defaults.notGiven
  )
  val sum: Argument = Argument(
    "sum",
    "true if the sketch also keeps the sums of the values, which must be numbers: sketch_sum, sketch_mean, sketch_variance and the other moments then answer from it, too. It takes some 40 bytes more. The union with a sketch without sums has none.",
    Some(Literal(Defaults.Sum))
  )
  def epsilon(default: Double, elements: String = "values"): Argument = Argument(
    "epsilon",
    s"the rank error that you allow, as a share of the number of $elements, from 0 to 0.5. With 0 the answer is exact, and the memory grows with the data.",
    Some(Literal(default))
  )
  val sketch: Argument = Argument(
    "sketch",
    "a BINARY sketch. NULL gives NULL. If its family cannot answer this, the error names the families that can."
  )
  def typed(subject: String): Argument = Argument(
    "type",
    s"the name of the SQL type $subject, for example 'bigint'. Numbers can be read as any number type. Dates, times and intervals need the type that went into the sketch, for example 'timestamp'.",
    Some(Literal(Defaults.Type))
  )
  val eventTime: Argument = Argument(
    "event_time",
    "when the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL time are ignored."
  )
  val window: Argument = Argument(
    "window",
    "the rows that count. Give a length of time back from the newest row, for example '10 minutes', an INTERVAL, or a whole number if the times are whole numbers. Or combine within_last(interval), among_last(n) and conditions on the row with AND and OR."
  )
  val asOf: Argument = Argument(
    "as_of",
    "the time at which the window ends, of the type of the event times: a constant, current_timestamp(), a scalar subquery, or a column. Later rows do not count. If its value is NULL, so is the answer. Without it, or with a bare NULL, the window ends at the newest row.",
    Defaults.notGiven
  )
  val retention: Argument = Argument(
    "retention",
    "how far back windows may reach: an interval, its text, or a whole number if the times are whole numbers. Without it windows may reach to the first row.",
    Defaults.notGiven
  )
  val filters: Argument = Argument(
    "filters",
    "names and conditions on the row, for example map('errors', status >= 500). A window can then take only the rows that pass: passing('errors'). At most 6.",
    Defaults.notGiven
  )
  val points: Argument =
    Argument("points", "a value, or an array of values that strictly increase, none of them NULL.")

  /** Says which sketches can be merged. */
  val mergeable: String =
    "The values have one type, or types that one type holds exactly: whole numbers do, decimals do up to 18 digits together, and whole numbers of at most 32 bits do with FLOAT and DOUBLE. sketch_cast casts others. " +
      "A sketch without values changes nothing, whatever its type and parameters."
}
