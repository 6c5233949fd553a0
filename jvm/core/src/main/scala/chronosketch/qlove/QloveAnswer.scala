package chronosketch.qlove

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

/** Why one method answers and not the other. */
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
