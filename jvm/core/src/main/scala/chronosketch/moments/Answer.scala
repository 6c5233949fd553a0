package chronosketch.moments

import chronosketch.sliding.moments.{Answers, CrossStatistic, Statistic}

/** What Spark answers to a statistic, or why it has none: `outcome` is one of [[chronosketch.sliding.moments.Answers]]' constants, and
  * `value` is meaningful where that is `Answers.Value`.
  */
final case class Answer(value: Double, outcome: Int) {
  def toOption: Option[Double] = Option.when(outcome == Answers.Value)(value)
}

object Answer {
  private[moments] def of(value: Double): Answer = Answer(value, Answers.Value)
  private[moments] val none: Answer = Answer(0.0, Answers.Null)
  private[moments] val undefined: Answer = Answer(0.0, Answers.Undefined)
  private[moments] val dividedByZero: Answer = Answer(0.0, Answers.DivisionByZero)

  /** From moments that are doubles: what a sliding frame answers from them. */
  private[moments] def of(statistic: Statistic, n: Long, m2: Double, m3: Double, m4: Double): Answer =
    one(Statistic.answer(statistic.formula, n.toDouble, m2, m3, m4, 0, _))

  private[moments] def of(
      statistic: CrossStatistic,
      n: Long,
      meanX: Double,
      meanY: Double,
      mx: Double,
      my: Double,
      c: Double
  ): Answer = one(CrossStatistic.answer(statistic.formula, n.toDouble, meanX, meanY, mx, my, c, 0, _))

  private def one(answer: Answers => Unit): Answer = {
    val into = new Answers
    into.resize(1)
    answer(into)
    Answer(into.values(0), into.outcomes(0).toInt)
  }
}
