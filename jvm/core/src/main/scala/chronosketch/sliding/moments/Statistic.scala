package chronosketch.sliding.moments

import scala.annotation.switch

import chronosketch.sliding.WorkArrays

/** The statistics that Spark computes from the central moments of a column. For n elements, M(p) is the sum of the p-th powers of
  * their distances from their mean:
  *
  * | statistic | value | no value |
  * |---|---|---|
  * | var_pop, stddev_pop | M2 / n, its root | |
  * | var_samp, stddev_samp | M2 / (n − 1), its root | undefined: n = 1 |
  * | regr_sxx, regr_syy | M2 | |
  * | skewness | √n · M3 / √(M2³) | undefined: M2 = 0; division by zero: M2³ rounds to 0 |
  * | kurtosis | n · M4 / M2² − 3 | undefined: M2 = 0; division by zero: M2² rounds to 0 |
  *
  * If n = 0, all are NULL. If an element is NaN or infinite, all are NaN; only the sample statistics of a single such element are
  * undefined.
  *
  * Source  Spark's CentralMomentAgg and its subclasses
  */
sealed abstract class Statistic(private[chronosketch] val formula: Int, val order: Int) extends Serializable

object Statistic {
  case object VariancePop extends Statistic(0, 2)
  case object VarianceSamp extends Statistic(1, 2)
  case object StddevPop extends Statistic(2, 2)
  case object StddevSamp extends Statistic(3, 2)
  case object Skewness extends Statistic(4, 3)
  case object Kurtosis extends Statistic(5, 4)
  case object Squares extends Statistic(6, 2)

  /** Writes the answer of a row that has at least one element. */
  private[chronosketch] def answer(
      formula: Int,
      n: Double,
      m2: Double,
      m3: Double,
      m4: Double,
      row: Int,
      into: Answers
  ): Unit = {
    var outcome = Answers.Value
    into.values(row) = (formula: @switch) match {
      case 0 => m2 / n
      case 2 => math.sqrt(m2 / n)
      case 1 | 3 =>
        if (n == 1) outcome = Answers.Undefined
        val variance = m2 / (n - 1)
        if (formula == 1) variance else math.sqrt(variance)
      case 4 =>
        val divisor = math.sqrt(m2 * m2 * m2)
        outcome = divisionOutcome(m2, divisor)
        math.sqrt(n) * m3 / divisor
      case 5 =>
        val divisor = m2 * m2
        outcome = divisionOutcome(m2, divisor)
        n * m4 / divisor - 3
      case 6 => m2
    }
    into.outcomes(row) = outcome.toByte
  }

  private def divisionOutcome(m2: Double, divisor: Double): Int =
    if (divisor != 0) Answers.Value else if (m2 == 0) Answers.Undefined else Answers.DivisionByZero
}

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
