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
  private[moments] def of(statistic: Statistic, n: Long, m2: Double, m3: Double, m4: Double): Answer = {
    // shape has no unit: in this one no power leaves the range of doubles
    val unit = statistic match {
      case Statistic.Skewness | Statistic.Kurtosis => root(m2)
      case _ => 0
    }
    one(
      Statistic.answer(
        statistic.formula,
        n.toDouble,
        Math.scalb(m2, -2 * unit),
        Math.scalb(m3, -3 * unit),
        Math.scalb(m4, -4 * unit),
        0,
        _
      )
    )
  }

  private[moments] def of(
      statistic: CrossStatistic,
      n: Long,
      meanX: Double,
      meanY: Double,
      mx: Double,
      my: Double,
      c: Double
  ): Answer = statistic match {
    case CrossStatistic.Corr | CrossStatistic.RegrR2 =>
      val (x, y) = (root(mx), root(my))
      val (ofX, ofY) = (Math.scalb(mx, -2 * x), Math.scalb(my, -2 * y))
      val all = one(
        CrossStatistic.answer(statistic.formula, n.toDouble, 0, 0, ofX, ofY, Math.scalb(c, -x - y), 0, _)
      )
      // rounding can't take it beyond a line
      all.copy(value = math.max(-1.0, math.min(1.0, all.value)))
    case _ => one(CrossStatistic.answer(statistic.formula, n.toDouble, meanX, meanY, mx, my, c, 0, _))
  }

  /** About the exponent of the root of a sum of squares; 0 where it has none. */
  private def root(squares: Double): Int =
    if (squares > 0 && squares <= Double.MaxValue) Math.getExponent(squares) / 2 else 0

  private def one(answer: Answers => Unit): Answer = {
    val into = new Answers
    into.resize(1)
    answer(into)
    Answer(into.values(0), into.outcomes(0).toInt)
  }
}
