package chronosketch.qlove

import chronosketch.rank.Phi
import chronosketch.summary.Estimate

/** What a window answers for one φ, and how it came by it.
  *
  * @param estimate the answer
  * @param reason   which of the two answered, and why
  * @param need     the rank from the top of the window's φ-quantile: so many of its greatest elements tell it
  * @param reached  for how many of these the kept values stand
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

/** The two ways from panes to a window. */
sealed abstract class Method(val name: String) extends Serializable {
  override def toString: String = name
}

object Method {

  /** The mean of the panes' own quantiles. */
  case object Mean extends Method("mean")

  /** The values that the panes kept, by their weights from the top. */
  case object FewK extends Method("few-k")
}

/** Why the one answers and not the other. */
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
  case object Dear
      extends Reason(
        Method.Mean,
        "no budget was given, and few-k would have to keep a tenth of a pane or more than 4096 values"
      )
  case object BudgetTooSmall extends Reason(Method.Mean, "the values kept do not reach down to the quantile")
  case object Sparse
      extends Reason(Method.FewK, "each pane has less than 10 elements above its quantile: P(1 - phi) < 10")
  case object Cheap
      extends Reason(
        Method.FewK,
        "no budget was given, and few-k keeps less than a tenth of each pane that has 10 or more elements above its quantile"
      )
  case object Budget extends Reason(Method.FewK, "a budget was given")
}
