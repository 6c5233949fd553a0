package chronosketch.sliding.moments

import chronosketch.sliding.WorkArrays

/** The answers of a run of rows to one statistic: for each row a value, or the reason why there is none. */
final class Answers {

  /** Valid only where the outcome is [[Answers.Value]]. */
  var values: Array[Double] = new Array(0)

  /** Constants of the object [[Answers]]. */
  var outcomes: Array[Byte] = new Array(0)

  private[chronosketch] def resize(rows: Int): Unit = {
    values = WorkArrays.atLeast(values, rows)
    outcomes = WorkArrays.atLeast(outcomes, rows)
  }
}

object Answers {
  final val Value = 0

  /** The answer is NULL. */
  final val Null = 1

  /** The answer is NULL, or NaN under spark.sql.legacy.statisticalAggregate. */
  final val Undefined = 2

  /** The answer is the error DIVIDE_BY_ZERO under spark.sql.ansi.enabled, otherwise NULL. */
  final val DivisionByZero = 3
}
