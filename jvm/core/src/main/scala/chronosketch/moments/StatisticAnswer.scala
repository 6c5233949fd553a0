package chronosketch.moments

import chronosketch.sliding.moments.{Answers, CrossStatistic, Statistic}

/** Spark's answer to a statistic, or the reason why there is none. `outcome` is one of the constants of
  * [[chronosketch.sliding.moments.Answers]]; `value` is valid only if it is `Answers.Value`.
  */
final case class StatisticAnswer(value: Double, outcome: Int) {
  def toOption: Option[Double] = Option.when(outcome == Answers.Value)(value)
}

object StatisticAnswer {
  private[moments] def of(value: Double): StatisticAnswer = StatisticAnswer(value, Answers.Value)
  private[moments] val none: StatisticAnswer = StatisticAnswer(0.0, Answers.Null)
  private[moments] val undefined: StatisticAnswer = StatisticAnswer(0.0, Answers.Undefined)
  private[moments] val dividedByZero: StatisticAnswer = StatisticAnswer(0.0, Answers.DivisionByZero)

  /** Computes the answer from moments that are doubles, with the formulas of sliding frames. */
  private[moments] def of(
      statistic: Statistic,
      n: Long,
      m2: Double,
      m3: Double,
      m4: Double
  ): StatisticAnswer = {
    // skewness and kurtosis do not depend on the unit; in this unit no power overflows or underflows
    val unit = statistic match {
      case Statistic.Skewness | Statistic.Kurtosis => rootExponent(m2)
      case _ => 0
    }
    single(
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
  ): StatisticAnswer = statistic match {
    case CrossStatistic.Corr | CrossStatistic.RegrR2 =>
      val (x, y) = (rootExponent(mx), rootExponent(my))
      val (scaledMx, scaledMy) = (Math.scalb(mx, -2 * x), Math.scalb(my, -2 * y))
      val all = single(
        CrossStatistic.answer(
          statistic.formula,
          n.toDouble,
          0,
          0,
          scaledMx,
          scaledMy,
          Math.scalb(c, -x - y),
          0,
          _
        )
      )
      // rounding must not take a correlation beyond ±1
      all.copy(value = math.max(-1.0, math.min(1.0, all.value)))
    case _ => single(CrossStatistic.answer(statistic.formula, n.toDouble, meanX, meanY, mx, my, c, 0, _))
  }

  /** About the exponent of the root of a sum of squares; 0 if the root is 0, infinite or NaN. */
  private def rootExponent(squares: Double): Int =
    if (squares > 0 && squares <= Double.MaxValue) Math.getExponent(squares) / 2 else 0

  private def single(answer: Answers => Unit): StatisticAnswer = {
    val into = new Answers
    into.resize(1)
    answer(into)
    StatisticAnswer(into.values(0), into.outcomes(0).toInt)
  }
}
