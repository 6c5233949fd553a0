package chronosketch.qlove

import chronosketch.domain.Domain
import chronosketch.rank.Phi
import chronosketch.summary.Estimate

/** The answer of a window for one φ, and how it was computed.
  *
  * @param estimate the answer
  * @param reason   which method answered, and why
  * @param need     the rank of the window's φ-quantile from the top, which is how many of the greatest elements determine it
  * @param reached  how many of these the kept values represent
  */
final case class QloveAnswer(
    phi: Phi,
    estimate: Estimate,
    reason: Reason,
    need: Long,
    reached: Long
) {
  def method: Method = reason.method
}

/** The two methods to compute a window's answer from its panes. */
sealed abstract class Method(val name: String) extends Serializable {
  override def toString: String = name
}

object Method {

  /** The mean of the panes' own quantiles. */
  case object Mean extends Method("mean")

  /** The value at the cumulative weight `need`, from the top, of the values that the panes kept. */
  case object FewK extends Method("few-k")
}

/** Says why one method answers and not the other. */
sealed abstract class Reason(val method: Method, val text: String) extends Serializable {
  override def toString: String = text
}

object Reason {
  case object OnePane extends Reason(Method.Mean, "one pane has rows, and its own quantile is the window's")
  case object NotHigh extends Reason(Method.Mean, "phi is below 0.9")
  case object BudgetZero extends Reason(Method.Mean, "the budget is 0")
  case object Dense
      extends Reason(
        Method.Mean,
        "no budget was given, and a pane has 10 or more elements above its quantile"
      )
  case object TooManyValues
      extends Reason(
        Method.Mean,
        "no budget was given, and few-k would have to keep a tenth of a pane or more than 4096 values"
      )
  case object BudgetTooSmall extends Reason(Method.Mean, "the values kept do not reach down to the quantile")
  case object Sparse
      extends Reason(Method.FewK, "each pane has less than 10 elements above its quantile: P(1 - phi) < 10")
  case object FewValues
      extends Reason(
        Method.FewK,
        "no budget was given, and few-k keeps less than a tenth of each pane that has 10 or more elements above its quantile"
      )
  case object Budget extends Reason(Method.FewK, "a budget was given")
}

/** Computes the answers of a window of finished panes: by few-k if the kept values suffice, else by the mean of the panes' quantiles. */
private[qlove] trait WindowAnswers {
  def query: Query

  /** The type of the values. */
  def domain: Domain

  /** The number of elements in all panes. */
  def count: Long

  /** The number of panes that have rows. */
  def size: Int

  /** How many panes made by a rule keep no values for φ number i. */
  protected def missing(i: Int, rule: TailRule): Int

  /** How many panes have at least 10 elements above their own quantile number i. */
  protected def dense(i: Int): Int

  /** The values that the panes keep. No pane may be missing. */
  protected def tails(i: Int): WeightedKeys

  /** The mean of the panes' quantiles. */
  protected def mean(i: Int): Estimate

  /** The answer for one of the query's φs; None if there are no rows. Refuses a φ that is not in the query. */
  final def answer(phi: Phi): Option[QloveAnswer] = answer(query.indexOf(phi))

  /** The answers for all φs of the query, in order. */
  final def answers: Vector[QloveAnswer] = query.phis.indices.toVector.flatMap(answer(_))

  private def answer(i: Int): Option[QloveAnswer] = Option.when(size > 0) {
    val phi = query.phis(i)
    val need = FewK.need(phi, count)
    meanReason(i) match {
      case Some(reason) => QloveAnswer(phi, mean(i), reason, need, reached = 0L)
      case None =>
        val values = tails(i)
        values.seek(need) match {
          case Some(key) => QloveAnswer(phi, Estimate.of(key, domain), fewKReason(i), need, values.weight)
          case None => QloveAnswer(phi, mean(i), Reason.BudgetTooSmall, need, values.weight)
        }
    }
  }

  private def meanReason(i: Int): Option[Reason] =
    if (size == 1) Some(Reason.OnePane)
    else if (!query.isHigh(i)) Some(Reason.NotHigh)
    else if (query.budget.contains(0)) Some(Reason.BudgetZero)
    else if (missing(i, TailRule.Sparse) > 0) Some(Reason.Dense)
    else if (missing(i, TailRule.Tenth) > 0) Some(Reason.TooManyValues)
    else None

  private def fewKReason(i: Int): Reason =
    if (query.budget.nonEmpty) Reason.Budget
    else if (dense(i) == 0) Reason.Sparse
    else Reason.FewValues
}
