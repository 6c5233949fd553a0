package chronosketch.spark.sliding.structures

/** The outcomes of a statistic: those of [[chronosketch.sliding.moments.Answers]], and Spark's overflow error. */
object Outcome {
  final val Value = 0
  final val Null = 1
  final val DivisionByZero = 3
  final val Overflow = 4
}
