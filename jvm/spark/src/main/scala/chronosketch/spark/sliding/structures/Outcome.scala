package chronosketch.spark.sliding.structures

/** What becomes of an answer: the outcomes of [[chronosketch.sliding.moments.Answers]], and one error of Spark's more. */
object Outcome {
  final val Value = 0
  final val Null = 1
  final val DivisionByZero = 3
  final val Overflow = 4
}
