package chronosketch.sliding.moments

import chronosketch.sliding.Room

/** The answers of a run of rows to one question: a value each, or why there is none. */
final class Answers {

  /** Meaningful where the outcome is [[Answers.Value]]. */
  var values: Array[Double] = new Array(0)

  /** Of [[Answers]]' constants. */
  var outcomes: Array[Byte] = new Array(0)

  private[chronosketch] def resize(rows: Int): Unit = {
    values = Room.of(values, rows)
    outcomes = Room.of(outcomes, rows)
  }
}

object Answers {
  final val Value = 0

  /** NULL. */
  final val Null = 1

  /** NULL; NaN under spark.sql.legacy.statisticalAggregate. */
  final val Undefined = 2

  /** The error DIVIDE_BY_ZERO under spark.sql.ansi.enabled, NULL otherwise. */
  final val DivisionByZero = 3
}
