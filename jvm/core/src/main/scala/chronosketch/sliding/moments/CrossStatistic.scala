package chronosketch.sliding.moments

import scala.annotation.switch

/** The statistics that Spark computes from the moments of pairs (x, y). For n pairs, Mx, My and C are the sums of the squares and
  * of the products of the distances from their means:
  *
  * | statistic | value | no value |
  * |---|---|---|
  * | covar_pop | C / n | |
  * | covar_samp | C / (n − 1) | undefined: n = 1 |
  * | corr | C / √(Mx·My) | undefined: n = 1; division by zero: Mx·My is 0 or rounds to 0 |
  * | regr_slope | C / Mx | NULL: Mx = 0 |
  * | regr_intercept | mean of y − C / Mx · mean of x | NULL: Mx = 0 |
  * | regr_r2 | the square of corr, 1 if My = 0 | NULL: Mx = 0; division by zero: Mx·My rounds to 0 |
  * | regr_sxy | C | |
  *
  * If n = 0, all are NULL. Spark's regr_ functions take (y, x): x is the independent variable, y the dependent one. The elements
  * are the pairs without NULL.
  *
  * Source  Spark's Covariance, PearsonCorrelation, linearRegression
  */
sealed abstract class CrossStatistic(
    private[chronosketch] val formula: Int,
    val needsX: Boolean,
    val needsY: Boolean
) extends Serializable

object CrossStatistic {
  case object CovarPop extends CrossStatistic(0, needsX = false, needsY = false)
  case object CovarSamp extends CrossStatistic(1, needsX = false, needsY = false)
  case object Corr extends CrossStatistic(2, needsX = true, needsY = true)
  case object RegrSlope extends CrossStatistic(3, needsX = true, needsY = false)
  case object RegrIntercept extends CrossStatistic(4, needsX = true, needsY = false)
  case object RegrR2 extends CrossStatistic(5, needsX = true, needsY = true)
  case object RegrSxy extends CrossStatistic(6, needsX = false, needsY = false)

  /** Writes the answer of a row that has at least one pair. */
  private[chronosketch] def answer(
      formula: Int,
      n: Double,
      meanX: Double,
      meanY: Double,
      mx: Double,
      my: Double,
      c: Double,
      row: Int,
      into: Answers
  ): Unit = {
    var outcome = Answers.Value
    into.values(row) = (formula: @switch) match {
      case 0 => c / n
      case 1 =>
        if (n == 1) outcome = Answers.Undefined
        c / (n - 1)
      case 2 =>
        val divisor = math.sqrt(mx * my)
        if (n == 1) outcome = Answers.Undefined
        else if (divisor == 0) outcome = Answers.DivisionByZero
        c / divisor
      case 3 =>
        if (mx == 0) outcome = Answers.Null
        c / mx
      case 4 =>
        if (mx == 0) outcome = Answers.Null
        meanY - c / mx * meanX
      case 5 =>
        val divisor = math.sqrt(mx * my)
        if (mx == 0) outcome = Answers.Null
        else if (my != 0 && divisor == 0) outcome = Answers.DivisionByZero
        val corr = c / divisor
        if (my == 0) 1.0 else corr * corr
      case 6 => c
    }
    into.outcomes(row) = outcome.toByte
  }
}
