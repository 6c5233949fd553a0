package chronosketch.moments

import java.math.{BigDecimal => Exact}

import org.scalacheck.Gen

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary._

object ComomentsLaws extends LawsOf[ComomentsSketch](ComomentsSketches) {
  private val Parts = 1000L

  def makers(domain: Domain): Gen[Maker] =
    Gen.oneOf(Domain.BigInt, Domain.TinyInt, Domain.decimal(5, 2), Domain.Double).map(Pairing(domain, _))

  /** The x of a pair depends only on its y. */
  private def x(y: Long, domain: Domain): Long = {
    val small = Math.floorMod(y, 251L) - 125L
    if (domain == Domain.BigInt) y * 0x9e3779b97f4a7c15L
    else if (domain.isFloating)
      DoubleKeys.key(if (Math.floorMod(y, 53L) == 7) Double.PositiveInfinity else small / 8.0 + 1e6)
    else small
  }

  final case class Pairing(y: Domain, of: Domain) extends Maker {
    def family: Family[Summary] = ComomentsSketches
    def empty(): ComomentsSketch = ComomentsRecipe(y, of).empty
    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit = {
      val sketch = ComomentsSketches.own(into)
      keys.foreach(key => sketch.insertPair(key, x(key, of)))
    }
    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit = {
      val sketch = ComomentsSketches.own(into)
      bag.foreach { case (key, copies) => sketch.insertPair(key, x(key, of), copies) }
    }
  }

  private def value(key: Long, domain: Domain): Double =
    if (domain.isFloating) DoubleKeys.value(key) else Exact.valueOf(key, domain.second).doubleValue

  private def exact(key: Long, domain: Domain, isWhole: Boolean): Exact =
    if (isWhole) Exact.valueOf(key, domain.second) else new Exact(value(key, domain))

  protected def violations(s: ComomentsSketch, seen: Operation.Seen): Seq[String] = {
    val some = seen.filter(_._2 > 0).toSeq
    val counted = Option.when(s.count != some.map(_._2).sum)(s"count ${s.count}").toSeq
    if (some.isEmpty) counted ++ (s.meanY ++ s.covarPop ++ s.slope).map(v => s"$v of nothing")
    else {
      val isWhole = !s.domain.isFloating && !s.xDomain.isFloating
      def end(key: Long): Long = if (isWhole) key else DoubleKeys.key(value(key, s.domain))
      val (least, greatest) = (end(some.map(_._1).min), end(some.map(_._1).max))
      val ends = Option.when(!s.sides.exists(e => e._1.least == least && e._1.greatest == greatest))("ends")
      def finite(side: Seq[(Long, Long)], of: Domain) =
        side.forall(v => java.lang.Double.isFinite(value(v._1, of)))
      val xs = some.map { case (key, n) => (x(key, s.xDomain), n) }
      def oracle(side: Seq[(Long, Long)], of: Domain) =
        new Oracle(side.map { case (key, n) => (exact(key, of, isWhole), n) })
      val both = finite(some, s.domain) && finite(xs, s.xDomain)
      counted ++ ends ++ (
        if (both) ofFinite(s, oracle(some, s.domain), oracle(xs, s.xDomain), isWhole)
        else if (s.covarPop.exists(_.isNaN)) Nil
        else Seq(s"covariance ${s.covarPop}")
      )
    }
  }

  private def ofFinite(s: ComomentsSketch, y: Oracle, x: Oracle, isWhole: Boolean): Seq[String] = {
    val found = Seq.newBuilder[String]
    val c = y.product(x)
    def over(a: Exact, b: Exact): Double = a.divide(b, Oracle.context).doubleValue
    val hasSpread = x.range.signum > 0
    if (isWhole) {
      val (mx, my) = (x.moment(2), y.moment(2))
      val slope = Option.when(hasSpread)(over(c, mx))
      val intercept =
        Option.when(hasSpread)(y.mean.subtract(c.multiply(x.mean).divide(mx, Oracle.context)))
      val r2 = Option.when(hasSpread)(if (my.signum == 0) 1.0 else over(c.pow(2), mx.multiply(my)))
      Seq(
        s.sumY -> Some(y.sum.doubleValue),
        s.meanX -> Some(x.mean.doubleValue),
        s.squaresY -> Some(my.doubleValue),
        s.covarPop -> Some(over(c, y.n)),
        s.covarSamp -> Option.when(s.count > 1)(over(c, y.n.subtract(Exact.ONE))),
        s.slope -> slope,
        s.r2 -> r2
      ).foreach { case (answer, expected) =>
        // a value that should be 0 has rounding errors after this many digits
        val isRight = answer.isEmpty == expected.isEmpty &&
          answer.zip(expected).forall { case (a, e) => a == e || a == 0 && math.abs(e) < 1e-60 }
        if (!isRight) found += s"$answer, not $expected"
      }
      intercept.foreach { e =>
        val a = s.intercept.get
        if (!(a == e.doubleValue || a == 0 && math.abs(e.doubleValue) < 1e-60))
          found += s"intercept $a, not ${e.doubleValue}"
      }
    } else if (y.range.doubleValue < 1e150) {
      val most = Oracle.factor(2, Parts).multiply(y.n)
      val allowed = most.multiply(y.range).multiply(x.range).divide(y.n, Oracle.context)
      val expected = c.divide(y.n, Oracle.context)
      if (!Oracle.isNear(s.covarPop.get, expected, allowed.add(new Exact(1e-280))))
        found += s"covariance ${s.covarPop}, not ${expected.doubleValue}"
      if (s.slope.isDefined != hasSpread) found += s"slope ${s.slope}"
    }
    found.result()
  }

  protected def knowsAll(s: ComomentsSketch): Boolean = !s.domain.isFloating && !s.xDomain.isFloating
}
