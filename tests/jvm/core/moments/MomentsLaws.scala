package chronosketch.moments

import java.math.{BigDecimal => Exact}

import chronosketch.domain.DoubleKeys
import chronosketch.sliding.moments.Statistic
import chronosketch.summary.{InsertingLaws, Moment, Operation}
import chronosketch.window.moments.MomentsOracle

object MomentsLaws extends InsertingLaws(MomentsSketches) {

  /** Upper bound for the blocks and parts that a tested state was made from. */
  private val Parts = 1000L

  protected def violations(summary: MomentsSketch, seen: Operation.Seen): Seq[String] = {
    val some = seen.filter(_._2 > 0)
    val counted = Option.when(summary.count != some.values.sum)(s"count ${summary.count}").toSeq
    if (some.isEmpty)
      counted ++ (summary.sum ++ summary.mean ++ summary.variancePop).map(v =>
        s"$v of nothing"
      )
    else {
      val ends = Seq(summary.minimum -> some.keys.min, summary.maximum -> some.keys.max).collect {
        case (found, key) if !found.contains(key) => s"$found, not $key"
      }
      val exact = new MomentsOracle(some.toSeq, summary.domain)
      val bounds = Moment.all.flatMap(of => exact.violations(of, summary.momentBounds(of)))
      counted ++ ends ++ bounds ++ (if (summary.domain.isFloating) ofDoubles(summary, some)
                                    else ofWhole(summary, some))
    }
  }

  /** Checks that every answer is the nearest double. */
  private def ofWhole(s: MomentsSketch, seen: Operation.Seen): Seq[String] = {
    val oracle = new Oracle(seen.toSeq.map { case (key, n) => (Exact.valueOf(key, s.domain.second), n) })
    val n = oracle.n
    val (m2, m3, m4) = (oracle.moment(2), oracle.moment(3), oracle.moment(4))
    def over(a: Exact, b: Exact): Double = a.divide(b, Oracle.context).doubleValue
    val expected = Seq(
      "sum" -> Some(oracle.sum.doubleValue) -> s.sum,
      "mean" -> Some(oracle.mean.doubleValue) -> s.mean,
      "variance" -> Some(over(m2, n)) -> s.variancePop,
      "sample variance" -> Option.when(s.count > 1)(over(m2, n.subtract(Exact.ONE))) -> s.varianceSamp,
      "kurtosis" -> Option.when(seen.size > 1)(
        n.multiply(m4).divide(m2.pow(2), Oracle.context).subtract(new Exact(3)).doubleValue
      ) -> s.kurtosis
    )
    val skewness = Option.when(seen.size > 1)(
      m3.signum * math.sqrt(n.multiply(m3.pow(2)).divide(m2.pow(3), Oracle.context).doubleValue)
    )
    val exactSum = Option.when(!s.exactSum.exists(_.compareTo(oracle.sum) == 0))(s"sum ${s.exactSum}")
    val wrong = (expected :+ ("skewness" -> skewness -> s.skewness)).collect {
      case ((name, exact), found) if !(exact.isEmpty && found.isEmpty) && !exact.exists(found.contains) =>
        s"$name $found, not $exact"
    }
    exactSum.toSeq ++ wrong
  }

  private def ofDoubles(s: MomentsSketch, seen: Operation.Seen): Seq[String] = {
    val values = seen.toSeq.map { case (key, n) => (DoubleKeys.value(key), n) }
    if (values.forall(v => java.lang.Double.isFinite(v._1))) {
      val problems = ofFinite(s, new Oracle(values.map { case (v, n) => (new Exact(v), n) }), Parts)
      if (values.size == 1 && !s.mean.contains(values.head._1)) problems :+ s"mean ${s.mean}" else problems
    } else {
      val special = values.map(_._1).sum
      val wrong = Seq(s.mean, s.sum).flatten.filter(v => java.lang.Double.compare(v, special) != 0)
      val numbers = Seq(s.variancePop, s.stddevPop, s.skewness, s.kurtosis).filterNot(_.exists(_.isNaN))
      wrong.map(v => s"$v where adding up gives $special") ++ numbers.map(v => s"a moment $v")
    }
  }

  /** Checks the guarantee of [[DoubleTally]] against the oracle. */
  def ofFinite(s: MomentsSketch, oracle: Oracle, parts: Long): Seq[String] = {
    import Oracle._
    val found = Seq.newBuilder[String]
    def expect(holds: Boolean, what: => String): Unit = if (!holds) found += what
    val allowedMean = oracle.mean.abs.multiply(u).add(
      oracle.magnitude.multiply(new Exact(math.pow(2, -80)))
    ).add(new Exact(1e-322))
    expect(isNear(s.mean.get, oracle.mean, allowedMean), s"mean ${s.mean}, not ${oracle.mean.doubleValue}")
    if (oracle.sum.abs.compareTo(new Exact(1.7e308)) < 0) {
      val allowed = allowedMean.multiply(oracle.n)
      expect(isNear(s.sum.get, oracle.sum, allowed), s"sum ${s.sum}, not ${oracle.sum.doubleValue}")
    }
    val m2 = oracle.moment(2)
    val squares = s.answer(Statistic.Squares).value
    val share = factor(2, parts)
    if (m2.doubleValue < 1e306)
      expect(
        isNear(squares, m2, m2.multiply(share).add(oracle.n.multiply(new Exact(1e-300)))),
        s"M2 $squares, not ${m2.doubleValue}"
      )
    else expect(squares > 1e305, s"M2 $squares, not ${m2.doubleValue}")
    if (oracle.range.signum == 0) {
      expect(squares == 0.0, s"M2 $squares of equal values")
      expect(s.kurtosis.isEmpty && s.skewness.isEmpty, "skewness of equal values")
    } else if (oracle.range.doubleValue > 1e-60 && oracle.range.doubleValue < 1e60 && s.count < (1L << 53)) {
      val n = oracle.n
      val root = new Exact(math.sqrt(n.doubleValue))
      val cube = new Exact(math.sqrt(m2.doubleValue)).multiply(m2)
      def power(p: Int): Exact = factor(p, parts).multiply(n).multiply(oracle.range.pow(p))
      val skewness = root.multiply(oracle.moment(3)).divide(cube, context)
      val allowed3 = root.multiply(power(3)).divide(cube, context).add(skewness.abs.multiply(share))
      expect(isNear(s.skewness.get, skewness, allowed3.multiply(new Exact(2))), s"skewness ${s.skewness}")
      val ratio = n.multiply(oracle.moment(4)).divide(m2.pow(2), context)
      val allowed4 = n.multiply(power(4)).divide(m2.pow(2), context).add(ratio.multiply(share))
      val kurtosis = ratio.subtract(new Exact(3))
      expect(isNear(s.kurtosis.get, kurtosis, allowed4.multiply(new Exact(2))), s"kurtosis ${s.kurtosis}")
    }
    found.result()
  }

  /** Sums of whole numbers do not depend on the order of insertion. */
  protected def knowsAll(summary: MomentsSketch): Boolean = !summary.domain.isFloating
}
