package chronosketch.window.moments

import java.math.{BigDecimal => Exact}

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.{Moment, MomentBounds}

/** Computes moments of values by definition, without rounding. */
final class MomentsOracle(keys: Seq[(Long, Long)], domain: Domain) {
  private val values: Seq[(Double, Long)] =
    if (domain.isFloating) keys.map { case (key, n) => (DoubleKeys.value(key), n) } else Nil
  private val isFinite = values.forall(v => java.lang.Double.isFinite(v._1))
  private val exact: Seq[(Exact, Exact)] =
    if (!isFinite) Nil
    else if (domain.isFloating) values.map { case (v, n) => (new Exact(v), new Exact(n)) }
    else keys.map { case (key, n) => (Exact.valueOf(key, domain.second), new Exact(n)) }

  val count: Long = keys.map(_._2).sum
  private val n = new Exact(count)
  private def fold(term: ((Exact, Exact)) => Exact): Exact =
    exact.foldLeft(Exact.ZERO)((a, v) => a.add(term(v)))
  private lazy val sum: Exact = fold { case (v, n) => v.multiply(n) }
  lazy val magnitudes: Exact = fold { case (v, n) => v.abs.multiply(n) }

  /** n·Σx² − (Σx)², which is n² times the variance. */
  private lazy val squares: Exact =
    n.multiply(fold { case (v, n) => v.multiply(v).multiply(n) }).subtract(sum.multiply(sum))

  def isOfOneSign: Boolean = exact.forall(_._1.signum >= 0) || exact.forall(_._1.signum <= 0)
  def isEqual: Boolean = keys.map(_._1).distinct.size <= 1

  val specials: Int =
    values.map(_._1).filterNot(java.lang.Double.isFinite).map(Sums.specialBit).foldLeft(0)(_ | _)

  /** The answer as a ratio. If it is a root, the ratio under the root. */
  private def ratio(moment: Moment): (Exact, Exact) = moment match {
    case Moment.Count => (n, Exact.ONE)
    case Moment.Sum => (sum, Exact.ONE)
    case Moment.Mean => (sum, n)
    case Moment.VariancePop | Moment.StddevPop => (squares, n.multiply(n))
    case Moment.Variance | Moment.Stddev => (squares, n.multiply(n.subtract(Exact.ONE)))
  }

  private def isRoot(moment: Moment): Boolean = moment == Moment.Stddev || moment == Moment.StddevPop

  private def isAtMost(bound: Double, moment: Moment): Boolean = compare(bound, moment) <= 0

  /** The sign of a number's difference from the exact answer. */
  private def compare(bound: Double, moment: Moment): Int =
    if (bound.isInfinite) bound.sign.toInt
    else {
      val (above, below) = ratio(moment)
      val number = new Exact(bound)
      if (!isRoot(moment)) number.multiply(below).compareTo(above)
      else if (bound < 0) -1
      else number.multiply(number).multiply(below).compareTo(above)
    }

  private def isNone(moment: Moment): Boolean = count == 0 && moment != Moment.Count ||
    count == 1 && (moment == Moment.Variance || moment == Moment.Stddev)

  /** Describes bounds that do not contain the exact answer. */
  def violations(moment: Moment, found: Option[MomentBounds]): Seq[String] = found match {
    case None => if (isNone(moment)) Nil else Seq(s"no ${moment.name} of $count")
    // an element that may be in the window is not
    case Some(b) if isNone(moment) =>
      if (b.lower < b.upper || b.upper.isNaN) Nil else Seq(s"${moment.name} $b of $count")
    case Some(b) if moment != Moment.Count && !isFinite =>
      val special = if (moment == Moment.Sum || moment == Moment.Mean) values.map(_._1).sum else Double.NaN
      def in(v: Double) =
        java.lang.Double.compare(b.lower, v) <= 0 && java.lang.Double.compare(v, b.upper) <= 0
      if (in(special) && in(b.value)) Nil else Seq(s"${moment.name} $b, not $special")
    case Some(b) if b.upper.isNaN =>
      if (b.value.isNaN && !b.lower.isNaN) Nil else Seq(s"${moment.name} $b")
    case Some(b) =>
      val holds =
        isAtMost(b.lower, moment) && compare(b.upper, moment) >= 0 && b.lower <= b.value && b.value <= b.upper
      if (holds) Nil else Seq(s"${moment.name} $b of ${approximate(moment)}")
  }

  def approximate(moment: Moment): Double = {
    val (above, below) = ratio(moment)
    val number = above.divide(below, new java.math.MathContext(60)).doubleValue
    if (isRoot(moment)) math.sqrt(number) else number
  }

  /** Describes answers whose relative error exceeds ε. */
  def errors(moment: Moment, found: Option[MomentBounds], epsilon: Double): Seq[String] =
    if (isNone(moment) || (!isFinite && moment != Moment.Count) || moment == Moment.Mean) Nil
    else if (found.isEmpty) Seq(s"no ${moment.name}")
    else {
      val b = found.get
      val isVariance = !Seq(Moment.Count, Moment.Sum).contains(moment)
      val scale = if (moment == Moment.Sum) magnitudes.doubleValue else approximate(moment)
      val allowed = (epsilon + 1e-10) * scale + 1e-300 * (if (isRoot(moment)) 1e140 else 1.0)
      // only rounding errors remain, which matter if values are large and close to each other
      val isCut = if (isVariance)
        squares.signum > 0 && !(scale > 1e-140 && scale < (if (isRoot(moment)) 1e140 else 1e280))
      else scale > 1e308
      // the anchor is a double: equal longs that are not doubles have rounded squares, which add up
      val isRounded = isVariance && isEqual && !domain.isFloating && b.lower == 0 && b.upper < 1e-3
      if (isCut || isRounded || math.abs(b.value - approximate(moment)) <= allowed) Nil
      else Seq(
        s"${moment.name} $b, exact ${approximate(moment)}, off ${math.abs(b.value - approximate(moment)) / scale}"
      )
    }
}

object MomentsOracle {
  def of(keys: Seq[Long], domain: Domain): MomentsOracle =
    new MomentsOracle(keys.groupBy(identity).map { case (key, all) => (key, all.size.toLong) }.toSeq, domain)
}
