package chronosketch.qlove

import java.math.{BigDecimal, BigInteger}

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain, DoubleKeys}
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.Phi
import chronosketch.summary.{Description, Estimate, Estimates, Family, Header, Parameter, Summary}

/** A window of finished panes that answers the quantiles named in its query.
  *
  * Guarantee  the exact quantile if only one pane has rows. Few-k: exact if no pane has more than k_t of the window's `need` greatest
  *            values, see [[FewK]]. The mean: |answer − exact| ≤ [[bound]] with probability 95 % if elements are independent,
  *            identically distributed and continuous; no bound otherwise
  * Cost       a merge copies a reference per pane. An answer takes O(panes) by the mean, O(need · log panes) by few-k. A pane of 16 384
  *            rows, with the paper's four φs and m = 8, has 12 keys, and 722 values that few-k keeps without a budget
  * Units      times are keys of `timeDomain`; a pane lasts from its first to its last row
  * Merge      legal when values and times widen, the queries are the same, no two panes overlap in time, and there are at most as many
  *            panes as the query says; the order does not matter
  * Source     Lim, Hassan, Jin, Volos, Jeon, Approximate quantiles for datacenter telemetry monitoring, 2019, §3, §4; differs: few-k is
  *            corrected (docs/algorithms.md, Where it departs from the paper), and the burst flag does not choose the method
  */
final class QloveSketch private[qlove] (
    initialDomain: Domain,
    initialTimeDomain: Domain,
    val query: Query,
    initialPanes: Vector[FinishedPane]
) extends Summary
    with Estimates
    with SamePaneQuery
    with WindowAnswers
    with Metered {
  type Same = QloveSketch

  private var currentDomain = initialDomain
  private var currentTimeDomain = initialTimeDomain

  // sorted by time; none is empty
  private var panes = initialPanes.toArray
  private var total = panes.map(_.count).sum

  def family: Family[QloveSketch] = QloveSketches
  def domain: Domain = currentDomain
  def timeDomain: Domain = currentTimeDomain
  def header: Header[QloveSketch] = QloveHeader(currentDomain)
  def newEmpty: QloveSketch = new QloveSketch(currentDomain, currentTimeDomain, query, Vector.empty)
  def castBy(cast: Cast): QloveSketch =
    new QloveSketch(cast.to, currentTimeDomain, query, panes.map(_.castBy(cast)).toVector)
  def count: Long = total

  /** The number of panes that have rows. */
  def size: Int = panes.length

  /** The times of the earliest and the latest row. The window must not be empty. */
  def first: Long = panes.head.first
  def last: Long = panes.last.last

  private[qlove] def pane(i: Int): FinishedPane = panes(i)

  /** How many numbers are kept: keys, counts and times. */
  def variables: Long = panes.map(_.variables).sum

  override protected def requireAlike(that: QloveSketch): Unit = requireOneWindow(that)

  protected def mergeChecked(that: QloveSketch, wider: Domain): Unit = {
    val joined = join(that.panes)
    if (joined.length > query.panes)
      throw Refusal(
        "CHRONOSKETCH_TOO_MANY_PANES",
        "count" -> joined.length.toString,
        "panes" -> query.panes.toString
      )
    panes = joined
    currentDomain = wider
    currentTimeDomain = timeDomain.widenTimesOrRefuse(that.timeDomain, family.ofSecond(Nil))
    total += that.total
    report()
  }

  protected def heldBytes: Long = Meter.ObjectBytes + Meter.references(panes.length) + 8L * variables

  private def join(others: Array[FinishedPane]): Array[FinishedPane] = {
    val joined = new Array[FinishedPane](panes.length + others.length)
    var i, j, o = 0
    while (o < joined.length) {
      val isMine = j == others.length || (i < panes.length && panes(i).first <= others(j).first)
      joined(o) = if (isMine) panes(i) else others(j)
      if (isMine) i += 1 else j += 1
      if (o > 0 && joined(o - 1).last >= joined(o).first) throw overlap(joined(o - 1), joined(o))
      o += 1
    }
    joined
  }

  private def overlap(a: FinishedPane, b: FinishedPane): Refusal = Refusal(
    "CHRONOSKETCH_PANES_OVERLAP",
    "leftFirst" -> a.first.toString,
    "leftLast" -> a.last.toString,
    "rightFirst" -> b.first.toString,
    "rightLast" -> b.last.toString,
    "times" -> currentTimeDomain.sql
  )

  def estimate(phi: Phi): Option[Estimate] = answer(phi).map(_.estimate)

  protected def missing(i: Int, rule: TailRule): Int = panes.count(p => p.tails(i) == null && p.rule == rule)
  protected def dense(i: Int): Int = panes.count(p => !query.isSparse(i, p.count))
  protected def tails(i: Int): WeightedKeys = new Tails(tailsOf(i))

  private def tailsOf(i: Int): Array[Tail] = panes.map(_.tails(i))

  protected def mean(i: Int): Estimate = {
    val sum = KeySum(currentDomain)
    panes.foreach(p => sum.add(p.quantiles(i)))
    sum.mean(panes.length, currentDomain)
  }

  /** Whether the greatest values of two neighbouring panes differ significantly at φ; None if no two neighbours kept values. It does not
    * influence the answer.
    */
  def isBursty(phi: Phi): Option[Boolean] = {
    val tails = tailsOf(query.indexOf(phi))
    val pairs = tails.indices.drop(1).filter(j => tails(j - 1) != null && tails(j) != null)
    Option.when(pairs.nonEmpty) {
      pairs.exists(j => MannWhitney.p(tails(j - 1), tails(j)) < QloveSketch.BurstLevel / (panes.length - 1))
    }
  }

  /** The distance of the mean from the exact φ-quantile that is exceeded with probability 5 %, if elements are independent, identically
    * distributed and continuous: 2 z √(φ(1 − φ)/N) / f, with the panes' mean of 1/f. NaN if no pane gives an estimate of the density f.
    */
  def bound(phi: Phi): Double = {
    val i = query.indexOf(phi)
    var sum = 0.0
    var panesWithDensity = 0
    panes.foreach { p =>
      val ranks = FinishedPane.highRank(phi, p.count) - FinishedPane.lowRank(phi, p.count)
      if (ranks > 0) {
        val difference = QloveSketch.difference(p.lows(i), p.highs(i), currentDomain)
        sum += difference * (p.count.toDouble / ranks.toDouble)
        panesWithDensity += 1
      }
    }
    val p = phi.decimal.doubleValue
    if (panesWithDensity == 0) Double.NaN
    else 2 * QloveSketch.UpperEightieth * math.sqrt(p * (1 - p) / total.toDouble) * (sum / panesWithDensity)
  }

  override def description: Description = Description(
    query.parameters,
    times = Some(currentTimeDomain),
    panes = Some(size),
    answers = Some(query.phis.map(phi => Description.Answered(phi, answer(phi).map(describe))))
  )

  private def describe(a: QloveAnswer): Description.Way = Description.Way(
    a.method.name,
    a.reason.text,
    a.need,
    a.reached,
    isBursty(a.phi),
    Some(bound(a.phi)).filterNot(_.isNaN)
  )

  def write(writer: Wire.Writer): Unit = QloveWire.writeSketch(writer, this)
}

object QloveSketch {

  /** The difference b − a of two keys as a number; a ≤ b. */
  private def difference(a: Long, b: Long, domain: Domain): Double =
    if (a == b) 0.0
    else if (domain.isFloating) DoubleKeys.value(b) - DoubleKeys.value(a)
    else new BigDecimal(BigInteger.valueOf(b).subtract(BigInteger.valueOf(a)), domain.scale).doubleValue

  /** The significance level of the Mann–Whitney tests of all pairs of neighbours together. */
  private val BurstLevel = 0.01

  /** The z that the standard normal distribution exceeds with probability 1/80: z_{1−a/4} at a = 5 %. */
  private val UpperEightieth = 2.241402727604947
}

/** The family of windows of finished panes. Nothing can be inserted: they are made from panes and by merging. */
object QloveSketches extends Family[QloveSketch] {
  val id = 5
  val name = "qlove sketch"
  def aggregate: Seq[String] = UnfinishedPanes.aggregate
  val parameters: Seq[Parameter] = Nil
  def header(domain: Domain, numbers: Seq[Double]): Header[QloveSketch] = QloveHeader(domain)
}

/** The header of a stored window of panes. The rest is in the payload. */
final case class QloveHeader(domain: Domain) extends Header[QloveSketch] {
  def family: Family[QloveSketch] = QloveSketches
  def numbers: Seq[Double] = Nil
  def read(reader: Wire.Reader): QloveSketch = QloveWire.readSketch(reader, domain)
}
