package chronosketch.qlove

import java.math.BigDecimal

import chronosketch.Refusal
import chronosketch.rank.Phi

/** What will be asked of a window of panes, which must be known before the first row comes?
  *
  * @param phis   the quantiles, rising, each once
  * @param panes  m, of which a full window consists
  * @param budget values that a pane keeps for each φ ≥ 0.9; none: as many as it takes, where that is less than a tenth of a pane or a
  *               pane is too small for its own quantile; 0: none are kept
  * @param digits to which values are rounded before they are counted; 0: they are not
  */
final class Query private (val phis: Vector[Phi], val panes: Int, val budget: Option[Int], val digits: Int)
    extends Serializable {

  /** By the number of the φ: a pane of fewer elements has P(1 − φ) < 10. */
  private val sparseBelow: Array[Long] = phis.map(Query.sparseBelow).toArray
  private val isTail: Array[Boolean] = phis.map(_.decimal.compareTo(Query.Tail) >= 0).toArray

  /** The place of a φ among [[phis]]; a refusal that lists them where it was not named. */
  def indexOf(phi: Phi): Int = {
    val i = phis.indexOf(phi)
    if (i < 0)
      throw Refusal(
        "CHRONOSKETCH_PHI_NOT_NAMED",
        "phi" -> phi.toString,
        "named" -> phis.mkString(", "),
        "panes" -> (panes.toString + budget.fold("")(b => s", budget => $b"))
      )
    i
  }

  /** Whether few-k may answer the i-th φ. */
  def isHigh(i: Int): Boolean = isTail(i)

  /** Whether a pane of so many elements has too few of them above its own φ-quantile. */
  def isSparse(i: Int, elements: Long): Boolean = elements < sparseBelow(i)

  /** What a description of a sketch lists. */
  private[qlove] def parameters: Seq[(String, Double)] =
    Seq("panes" -> panes.toDouble) ++ budget.map("budget" -> _.toDouble)

  override def equals(other: Any): Boolean = other match {
    case that: Query =>
      phis == that.phis && panes == that.panes && budget == that.budget && digits == that.digits
    case _ => false
  }
  override def hashCode: Int = (phis, panes, budget, digits).hashCode

  override def toString: String = {
    val kept = budget.fold("")(b => s", budget $b")
    val rounded = if (digits == 0) "" else s", $digits digits"
    s"phis ${phis.mkString(", ")}, panes $panes$kept$rounded"
  }
}

object Query {
  final val MostPanes = 1 << 24
  final val MostDigits: Int = SignificantDigits.Most

  /** From here on values are kept. */
  private val Tail = new BigDecimal("0.9")

  /** As many elements above its quantile make a pane's own robust (Lim et al. 2019, §4.3). */
  private val Enough = BigDecimal.TEN

  /** The paper's query, over a window of one pane. */
  val Default: Query = Query(Seq(0.5, 0.9, 0.99, 0.999).map(Phi(_)), panes = 1, budget = None)

  def apply(phis: Seq[Phi], panes: Int, budget: Option[Int], digits: Int = 0): Query = {
    if (phis.isEmpty) throw Refusal("CHRONOSKETCH_NO_PHIS")
    within("panes", panes, 1, MostPanes)
    budget.foreach(within("budget", _, 0, Int.MaxValue))
    within("digits", digits, 0, MostDigits)
    new Query(phis.sortBy(_.decimal).distinct.toVector, panes, budget, digits)
  }

  private def within(name: String, value: Int, least: Int, greatest: Int): Unit =
    if (value < least || value > greatest)
      throw Refusal(
        "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE",
        "parameter" -> name,
        "value" -> value.toString,
        "range" -> s"[$least, $greatest]"
      )

  /** ⌈10/(1 − φ)⌉; no pane has as many elements as φ = 1 would take. */
  private def sparseBelow(phi: Phi): Long = {
    val above = BigDecimal.ONE.subtract(phi.decimal)
    if (above.signum == 0) Long.MaxValue
    else {
      val parts = Enough.divideAndRemainder(above)
      val least = parts(0).toBigInteger.add(java.math.BigInteger.valueOf(parts(1).signum.toLong))
      if (least.bitLength > 63) Long.MaxValue else least.longValueExact
    }
  }
}
