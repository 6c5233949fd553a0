package chronosketch.sliding.moments

import scala.annotation.switch

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
