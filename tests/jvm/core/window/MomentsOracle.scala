package chronosketch.window.moments

import java.math.{BigDecimal => Exact}

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.{Moment, MomentBounds}

/** Moments of values by definition, without rounding. */
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
  private def fold(of: ((Exact, Exact)) => Exact): Exact = exact.foldLeft(Exact.ZERO)((a, v) => a.add(of(v)))
  private lazy val sum: Exact = fold { case (v, n) => v.multiply(n) }
  lazy val magnitudes: Exact = fold { case (v, n) => v.abs.multiply(n) }

  /** n·Σx² − (Σx)², which is n² times the variance. */
  private lazy val squares: Exact =
    n.multiply(fold { case (v, n) => v.multiply(v).multiply(n) }).subtract(sum.multiply(sum))

  def isOfOneSign: Boolean = exact.forall(_._1.signum >= 0) || exact.forall(_._1.signum <= 0)
  def isEqual: Boolean = keys.map(_._1).distinct.size <= 1

  val specials: Int =
    values.map(_._1).filterNot(java.lang.Double.isFinite).map(Sums.special).foldLeft(0)(_ | _)

  /** The answer, as a ratio, or where that is a root the ratio that it is the root of. */
  private def ratio(of: Moment): (Exact, Exact) = of match {
    case Moment.Count => (n, Exact.ONE)
    case Moment.Sum => (sum, Exact.ONE)
    case Moment.Mean => (sum, n)
    case Moment.VariancePop | Moment.StddevPop => (squares, n.multiply(n))
    case Moment.Variance | Moment.Stddev => (squares, n.multiply(n.subtract(Exact.ONE)))
  }

  private def isRoot(of: Moment): Boolean = of == Moment.Stddev || of == Moment.StddevPop

  private def isAtMost(bound: Double, of: Moment): Boolean = compare(bound, of) <= 0

  /** How a number stands to the answer. */
  private def compare(bound: Double, of: Moment): Int =
    if (bound.isInfinite) bound.sign.toInt
    else {
      val (above, below) = ratio(of)
      val number = new Exact(bound)
      if (!isRoot(of)) number.multiply(below).compareTo(above)
      else if (bound < 0) -1
      else number.multiply(number).multiply(below).compareTo(above)
    }

  private def isNone(of: Moment): Boolean = count == 0 && of != Moment.Count ||
    count == 1 && (of == Moment.Variance || of == Moment.Stddev)

  /** Where the bounds do not hold. */
  def violations(of: Moment, found: Option[MomentBounds]): Seq[String] = found match {
    case None => if (isNone(of)) Nil else Seq(s"no ${of.name} of $count")
    // an element may be there that is not
    case Some(b) if isNone(of) =>
      if (b.lower < b.upper || b.upper.isNaN) Nil else Seq(s"${of.name} $b of $count")
    case Some(b) if of != Moment.Count && !isFinite =>
      val special = if (of == Moment.Sum || of == Moment.Mean) values.map(_._1).sum else Double.NaN
      def in(v: Double) =
        java.lang.Double.compare(b.lower, v) <= 0 && java.lang.Double.compare(v, b.upper) <= 0
      if (in(special) && in(b.value)) Nil else Seq(s"${of.name} $b, not $special")
    case Some(b) if b.upper.isNaN =>
      if (b.value.isNaN && !b.lower.isNaN) Nil else Seq(s"${of.name} $b")
    case Some(b) =>
      val holds =
        isAtMost(b.lower, of) && compare(b.upper, of) >= 0 && b.lower <= b.value && b.value <= b.upper
      if (holds) Nil else Seq(s"${of.name} $b of ${approximate(of)}")
  }

  def approximate(of: Moment): Double = {
    val (above, below) = ratio(of)
    val number = above.divide(below, new java.math.MathContext(60)).doubleValue
    if (isRoot(of)) math.sqrt(number) else number
  }

  /** Where an answer is further from the exact one than a share of it. */
  def errors(of: Moment, found: Option[MomentBounds], epsilon: Double): Seq[String] =
    if (isNone(of) || (!isFinite && of != Moment.Count) || of == Moment.Mean) Nil
    else if (found.isEmpty) Seq(s"no ${of.name}")
    else {
      val b = found.get
      val isVariance = !Seq(Moment.Count, Moment.Sum).contains(of)
      val scale = if (of == Moment.Sum) magnitudes.doubleValue else approximate(of)
      val allowed = (epsilon + 1e-10) * scale + 1e-300 * (if (isRoot(of)) 1e140 else 1.0)
      // rounding is left, where values are large and lie near each other
      val isCut = if (isVariance)
        squares.signum > 0 && !(scale > 1e-140 && scale < (if (isRoot(of)) 1e140 else 1e280))
      else scale > 1e308
      // an anchor is a double: of equal longs that are none, very many have squares that are rounded
      val isRounded = isVariance && isEqual && !domain.isFloating && b.lower == 0 && b.upper < 1e-3
      if (isCut || isRounded || math.abs(b.value - approximate(of)) <= allowed) Nil
      else Seq(s"${of.name} $b, exact ${approximate(of)}, off ${math.abs(b.value - approximate(of)) / scale}")
    }
}

object MomentsOracle {
  def of(keys: Seq[Long], domain: Domain): MomentsOracle =
    new MomentsOracle(keys.groupBy(identity).map { case (key, all) => (key, all.size.toLong) }.toSeq, domain)
}
