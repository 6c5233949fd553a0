package chronosketch.qlove

import java.math.BigDecimal

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.rank.Phi

/** The query of a window of panes, which must be known before the first row is inserted.
  *
  * @param phis   the quantiles, increasing, without duplicates
  * @param panes  the number m of panes in a full window
  * @param budget how many values a pane keeps for each φ ≥ 0.9. None: as many as needed, if that is less than a tenth of the pane or the
  *               pane is too small for its own quantile. 0: no values are kept
  * @param digits significant digits to which values are rounded before they are counted; 0: values are not rounded
  */
final class Query private (val phis: Vector[Phi], val panes: Int, val budget: Option[Int], val digits: Int)
    extends Serializable {

  /** For each φ: a pane with fewer elements P has P(1 − φ) < 10. */
  private val sparseBelow: Array[Long] = phis.map(Query.sparseBelow).toArray
  private val areHigh: Array[Boolean] = phis.map(_.decimal.compareTo(Query.MinHighPhi) >= 0).toArray

  /** The index of a φ in [[phis]]. Refuses a φ that is not among them. */
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

  /** Whether few-k may answer φ number i. */
  def isHigh(i: Int): Boolean = areHigh(i)

  /** Whether a pane with `elements` elements has fewer than 10 of them above its own φ-quantile. */
  def isSparse(i: Int, elements: Long): Boolean = elements < sparseBelow(i)

  /** The parameters that the description of a sketch lists. */
  private[qlove] def parameters: Seq[(String, Double)] =
    Seq("panes" -> panes.toDouble) ++ budget.map("budget" -> _.toDouble)

  override def equals(other: Any): Boolean = other match {
    case that: Query =>
      phis == that.phis && panes == that.panes && budget == that.budget && digits == that.digits
    case _ => false
  }
  override def hashCode: Int = (phis, panes, budget, digits).hashCode

  override def toString: String = {
    val budgetText = budget.fold("")(b => s", budget $b")
    val rounded = if (digits == 0) "" else s", $digits digits"
    s"phis ${phis.mkString(", ")}, panes $panes$budgetText$rounded"
  }
}

object Query {
  final val MostPanes = 1 << 24
  final val MostDigits: Int = SignificantDigits.Most

  /** The least φ for which values are kept. */
  private val MinHighPhi = new BigDecimal("0.9")

  /** With at least this many elements above it, a pane's own quantile is robust (Lim et al. 2019, §4.3). */
  private val RobustElements = BigDecimal.TEN

  /** The paper's quantiles, in a window of one pane. */
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

  /** ⌈10/(1 − φ)⌉; Long.MaxValue if this does not fit in 63 bits, as for φ = 1. */
  private def sparseBelow(phi: Phi): Long = {
    val above = BigDecimal.ONE.subtract(phi.decimal)
    if (above.signum == 0) Long.MaxValue
    else {
      val parts = RobustElements.divideAndRemainder(above)
      val least = parts(0).toBigInteger.add(java.math.BigInteger.valueOf(parts(1).signum.toLong))
      if (least.bitLength > 63) Long.MaxValue else least.longValueExact
    }
  }
}

/** The time type and query that panes and windows of panes must share to be merged. */
private[qlove] trait SamePaneQuery {
  def timeDomain: Domain
  def query: Query

  /** Refuses if the time types do not widen or the queries differ. */
  final protected def requireOneWindow(that: SamePaneQuery): Unit = {
    timeDomain.widenTimesOrRefuse(that.timeDomain, UnfinishedPanes.ofSecond(Nil))
    if (query != that.query)
      throw Refusal(
        "CHRONOSKETCH_QUERIES_DIFFER",
        "left" -> query.toString,
        "right" -> that.query.toString
      )
  }
}
