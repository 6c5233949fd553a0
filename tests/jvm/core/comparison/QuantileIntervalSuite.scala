package chronosketch.comparison

import java.math.BigInteger

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.comparison.Bags.{Bag, Known}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.{Cases, CheckSuite, Refusal}

/** Tests confidence intervals of quantiles and of their differences. */
class QuantileIntervalSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(500))

  private val phis = Gen.oneOf(0.0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0).map(Phi(_))
  private val confidences = Gen.oneOf(0.5, 0.9, 0.95, 0.999)
  private val designEffects = Gen.oneOf(1.0, 1.0, 1.7, 4.0, 0.5, 1e9)

  private def doubles(values: Seq[Double]): Bag = Bag(Domain.Double, values.map(DoubleKeys.key).toIndexedSeq)

  // scipy.stats.binom: the greatest r with cdf(r − 1) ≤ tail, and the least s with sf(s − 1) ≤ tail, tail = (1 − confidence)/2
  test("the ranks are those of the binomial distribution") {
    Seq(
      (50L, 0.5, 0.9, 19L, 32L),
      (50L, 0.5, 0.95, 18L, 33L),
      (50L, 0.5, 0.99, 16L, 35L),
      (50L, 0.99, 0.9, 48L, 51L),
      (50L, 0.99, 0.99, 47L, 51L),
      (50L, 0.9, 0.95, 41L, 50L),
      (50L, 0.9, 0.99, 39L, 51L),
      (1000L, 0.01, 0.95, 4L, 18L),
      (20000L, 0.3, 0.95, 5873L, 6128L),
      (39999L, 0.5, 0.95, 19804L, 20196L),
      (10000000L, 0.0001, 0.99, 919L, 1083L)
    ).foreach { case (n, phi, confidence, low, high) =>
      val ranks = new BinomialRanks(n, Phi(phi))
      val tail = (1 - confidence) / 2
      assertEquals((ranks.low(tail), ranks.high(tail)), (low, high), (n, phi, confidence))
    }
    // the expansion is one or two ranks further out than the exact ones
    Seq(
      (1000000L, 0.5, 0.95, 499020L, 500981L),
      (40001L, 0.5, 0.9, 19836L, 20166L),
      (40001L, 0.5, 0.99, 19743L, 20259L),
      (1000000000L, 0.999, 0.99, 998997425L, 999002575L)
    ).foreach { case (n, phi, confidence, low, high) =>
      val ranks = new BinomialRanks(n, Phi(phi))
      val tail = (1 - confidence) / 2
      val (from, to) = (low - ranks.low(tail), ranks.high(tail) - high)
      assert(from >= 0 && from <= 2 && to >= 0 && to <= 2, (n, phi, confidence, from, to))
    }
  }

  test("a miss on either side has at most the probability of its tail, in exact arithmetic") {
    for (n <- 1 to 40; tenths <- 0 to 10; tail <- Seq(0.25, 0.05, 0.005)) {
      val ranks = new BinomialRanks(n.toLong, Phi(tenths / 10.0))
      val (low, high) = (ranks.low(tail), ranks.high(tail))
      // P(X = k)·10ⁿ
      val weights = (0 to n).map { k =>
        val choose = (0 until k).foldLeft(BigInt(1))((c, i) => c * (n - i) / (i + 1))
        choose * BigInt(tenths).pow(k) * BigInt(10 - tenths).pow(n - k)
      }
      def share(part: Seq[BigInt]): BigDecimal =
        BigDecimal(part.sum) / BigDecimal(new BigInt(BigInteger.TEN.pow(n)))
      def below(r: Long): BigDecimal = share(weights.take(r.toInt))
      def from(r: Long): BigDecimal = share(weights.drop(r.toInt))
      assert(below(low) <= tail && (low == n.toLong || below(low + 1) > tail), (n, tenths, tail, low))
      assert(from(high) <= tail && (high == 0 || from(high - 1) > tail), (n, tenths, tail, high))
    }
  }

  test("the normal distribution and its quantiles") {
    // scipy.stats.norm.sf and isf
    Seq(
      0.0 -> 0.5,
      1.0 -> 0.15865525393145707,
      1.959963984540054 -> 0.025,
      2.999 -> 0.0013543365337271057,
      3.0 -> 0.0013498980316300933,
      5.0 -> 2.866515718791933e-07,
      10.0 -> 7.619853024160489e-24
    )
      .foreach { case (z, p) =>
        assertEqualsDouble(Normal.tail(z), p, 1e-10 * p)
        assertEqualsDouble(Normal.quantile(p), z, 1e-9)
      }
  }

  property("an interval contains that of the values themselves, and is equal to it for exact bags") {
    forAll(Bags.pairs(isCertain = true).map(_._1), phis, confidences, designEffects) {
      (bag, phi, confidence, effect) =>
        val interval = QuantileInterval.of(bag.summary, phi, confidence, effect).get
        val exact =
          QuantileInterval.of(bag.copy(epsilon = 0, alpha = None).summary, phi, confidence, effect).get
        assertEquals(interval.low.isEmpty, exact.low.isEmpty)
        assertEquals(interval.high.isEmpty, exact.high.isEmpty)
        assert(interval.low.forall(l => l <= exact.low.get && l <= interval.value), (interval, exact))
        assert(interval.high.forall(h => h >= exact.high.get && h >= interval.value), (interval, exact))
        if (bag.isExact) assertEquals(interval, exact)
        if (effect == 1) {
          val ranks = new BinomialRanks(bag.values.size.toLong, phi)
          val sorted = bag.values.sorted
          def at(rank: Long): Option[Long] = sorted.lift(rank.toInt - 1)
          assertEquals(exact.low, at(ranks.low((1 - confidence) / 2)))
          assertEquals(exact.high, at(ranks.high((1 - confidence) / 2)))
        }
    }
  }

  property("a difference contains that of the values themselves, and its p-value is not less") {
    forAll(Bags.pairs(isCertain = true, infinite = 0), phis, confidences, designEffects) {
      case ((a, b), phi, confidence, effect) =>
        def of(a: Bag, b: Bag) = QuantileDifference.of(a.summary, b.summary, phi, confidence, effect).get
        val difference = of(a, b)
        val exact = of(a.copy(epsilon = 0, alpha = None), b.copy(epsilon = 0, alpha = None))
        // roundings of two differences, a root and a sum, on both sides
        def slack(x: Double): Double =
          if (x.isInfinite) 0.0 else 1e-15 * x.abs + 1e-15 * math.min(exact.value.abs, Double.MaxValue)
        assertEquals(difference.low.isEmpty, exact.low.isEmpty)
        assertEquals(difference.high.isEmpty, exact.high.isEmpty)
        for (d <- difference.low; e <- exact.low) assert(d <= e + slack(e), (difference, exact))
        for (d <- difference.high; e <- exact.high) assert(d >= e - slack(e), (difference, exact))
        assert(difference.pValue >= exact.pValue * (1 - 1e-6), (difference, exact))
        // 0 lies outside of an interval exactly if its confidence is below 1 − p
        val isOutside = difference.low.exists(_ > 0) || difference.high.exists(_ < 0)
        assert(if (isOutside) difference.pValue <= 1 - confidence + 1e-6
        else difference.pValue >= 1 - confidence - 1e-6)
    }
  }

  test("intervals of simulated samples contain the population's quantile as often as they say") {
    val random = new Random(46)
    val quantileOf: Map[String, (() => Double, Double => Double)] = Map(
      "lognormal" -> ((() => math.exp(random.nextGaussian()), phi => math.exp(normal(phi)))),
      "ties" -> ((() => math.floor(random.nextDouble() * 4), phi => math.ceil(phi * 4) - 1))
    )
    for ((name, (draw, quantile)) <- quantileOf; n <- Seq(50, 300); phi <- Seq(0.5, 0.9)) {
      val truth = DoubleKeys.key(quantile(phi))
      val times = Cases.of(2000)
      val hits = (1 to times).count { _ =>
        val interval = QuantileInterval.of(doubles(Seq.fill(n)(draw())).summary, Phi(phi), 0.95, 1.0).get
        interval.low.forall(_ <= truth) && interval.high.forall(_ >= truth)
      }
      assert(hits.toDouble / times >= 0.945 - 0.01, (name, n, phi, hits))
    }
  }

  test(
    "intervals of clustered rows contain the population's quantile with the design effect, and not without it"
  ) {
    val random = new Random(47)
    // 60 users with 10 equal rows each: the design effect is 10
    val times = Cases.of(1000)
    def hits(effect: Double): Double = (1 to times).count { _ =>
      val rows = Seq.fill(60)(random.nextGaussian()).flatMap(Seq.fill(10)(_))
      val interval = QuantileInterval.of(doubles(rows).summary, Phi(0.5), 0.95, effect).get
      val zero = DoubleKeys.key(0.0)
      interval.low.forall(_ <= zero) && interval.high.forall(_ >= zero)
    } / times.toDouble
    val (with10, without) = (hits(10.0), hits(1.0))
    assert(with10 >= 0.935, with10)
    assert(without < 0.6, without)
  }

  test("the design effect of users whose rows are equal is the number of their rows") {
    def effect(users: (Double, Double)*): Option[Double] = {
      val sums = new Array[Double](DesignEffect.Sums)
      users.foreach { case (below, rows) => DesignEffect.add(below, rows)((i, x) => sums(i) += x) }
      DesignEffect.of(sums(_))
    }
    val users = (1 to 1000).map(i => (if (i % 2 == 0) 7.0 else 0.0, 7.0))
    assertEqualsDouble(effect(users: _*).get, 7.0, 0.05)
    assertEqualsDouble(effect(users.map { case (below, _) => (below / 7, 1.0) }: _*).get, 1.0, 0.01)
    assertEquals(effect((1.0, 3.0), (0.0, 0.0)), None)
    assertEquals(effect((3.0, 3.0), (2.0, 2.0)), Some(1.0))
    // one user has nearly all rows: as many as there are, they say next to nothing about other users
    for (most <- Seq(1e3, 1e9, 1e16)) {
      val one = effect((most / 2, most), (0.0, 1.0)).get
      assert(one > most && !one.isInfinite, (most, one))
    }
    for ((below, rows) <- Seq((3.0, 2.0), (-1.0, 2.0), (Double.NaN, 2.0), (0.0, Double.NaN)))
      assertEquals(
        intercept[Refusal](effect((below, rows), (1.0, 2.0))).condition,
        "CHRONOSKETCH_INVALID_USER_COUNTS"
      )
  }

  test(
    "differences of simulated samples contain the true one as often as they say, and p-values are uniform"
  ) {
    val random = new Random(48)
    val times = Cases.of(500)
    for (n <- Seq(50, 200)) {
      val answers = (1 to times).map { _ =>
        def sample(shift: Double) = doubles(Seq.fill(n)(math.exp(random.nextGaussian()) + shift)).summary
        QuantileDifference.of(sample(1.0), sample(0.0), Phi(0.5), 0.95, 1.0).get ->
          QuantileDifference.of(sample(0.0), sample(0.0), Phi(0.5), 0.95, 1.0).get.pValue
      }
      val hits = answers.count { case (d, _) => d.low.forall(_ <= 1) && d.high.forall(_ >= 1) }
      assert(hits.toDouble / times >= 0.945 - 0.02, (n, hits))
      assert(answers.count(_._2 <= 0.05).toDouble / times <= 0.055 + 0.02)
    }
  }

  private def normal(phi: Double): Double = if (phi == 0.5) 0.0 else Normal.quantile(1 - phi)

  test("one value, equal values, and φ at the ends") {
    val one = doubles(Seq(7.0))
    val key = DoubleKeys.key(7.0)
    assertEquals(
      QuantileInterval.of(one.summary, Phi(0.5), 0.95, 1.0),
      Some(QuantileInterval(key, None, None))
    )
    val equal = doubles(Seq.fill(50)(7.0))
    assertEquals(
      QuantileInterval.of(equal.summary, Phi(0.5), 0.95, 1.0),
      Some(QuantileInterval(key, Some(key), Some(key)))
    )
    assertEquals(
      QuantileInterval.of(equal.summary, Phi(0.0), 0.95, 1.0),
      Some(QuantileInterval(key, None, Some(key)))
    )
    assertEquals(
      QuantileInterval.of(equal.summary, Phi(1.0), 0.95, 1.0),
      Some(QuantileInterval(key, Some(key), None))
    )
    val apart =
      QuantileDifference.of(equal.summary, doubles(Seq.fill(50)(5.0)).summary, Phi(0.5), 0.95, 1.0).get
    assertEquals((apart.value, apart.low, apart.high), (2.0, Some(2.0), Some(2.0)))
    // the interval has both ends until the tail is below 2⁻⁵⁰
    assertEqualsDouble(apart.pValue, math.max(1e-15, 2 * Math.scalb(1.0, -50)), 1e-18)
  }

  test("differences of infinite values are infinite where a quantile may be, and NaN is undefined") {
    val (inf, nan) = (Double.PositiveInfinity, Double.NaN)
    val large = Math.scalb(1.0, 1023)
    Seq(
      (Seq(inf), Seq(1.0), (inf, inf, inf)),
      (Seq(inf), Seq(-inf), (inf, inf, inf)),
      (Seq(1.0), Seq(inf), (-inf, -inf, -inf)),
      (Seq(1.0, inf), Seq(3.0), (-2.0, -2.0, inf)),
      (Seq(3.0), Seq(1.0, inf), (2.0, -inf, 2.0)),
      (Seq(-inf, 1.0), Seq(3.0), (-inf, -inf, -2.0)),
      (Seq(1.0, inf), Seq(-inf, 1.0), (inf, 0.0, inf)),
      (Seq(inf), Seq(inf), (nan, -inf, inf)),
      (Seq(1.0, nan), Seq(3.0), (-2.0, -2.0, nan)),
      (Seq(nan), Seq(inf), (nan, nan, nan)),
      (Seq(1e308), Seq(-1e308, 1e308), (inf, 0.0, inf)),
      // the difference is above the greatest double, and one end is not: 3 - √(0.75² + 1²) = 1.75
      (Seq(0.75, 1.5, 1.5).map(_ * large), Seq(-1.5, -1.5, -0.5).map(_ * large), (inf, 1.75 * large, inf)),
      (Seq(-1.5, -1.5, -0.5).map(_ * large), Seq(0.75, 1.5, 1.5).map(_ * large), (-inf, -inf, -1.75 * large))
    ).foreach { case (a, b, expected) =>
      def of(values: Seq[Double]) = doubles(Seq.fill(40 / values.size)(values).flatten).summary
      val found = QuantileDifference.of(of(a), of(b), Phi(0.5), 0.95, 1.0).get
      assertEquals((found.value, found.low.get, found.high.get).toString, expected.toString, (a, b))
      assertEquals(found.pValue < 0.05, expected._2 > 0 || expected._3 < 0, (a, b))
    }
  }

  test("differences of large whole numbers and of decimals are rounded once") {
    def difference(a: (Long, Domain), b: (Long, Domain)): Double = {
      def of(side: (Long, Domain)) = Bag(side._2, IndexedSeq.fill(20)(side._1)).summary
      val found = QuantileDifference.of(of(a), of(b), Phi(0.5), 0.9, 1.0).get
      assertEquals((found.low, found.high), (Some(found.value), Some(found.value)))
      found.value
    }
    val large = 1L << 62
    assertEquals(difference(large + 1 -> Domain.BigInt, large -> Domain.BigInt), 1.0)
    assertEquals(
      difference(Long.MaxValue -> Domain.BigInt, Long.MinValue -> Domain.BigInt),
      Math.scalb(1.0, 64)
    )
    assertEquals(difference(3L -> Domain.decimal(9, 1), 10L -> Domain.decimal(9, 2)), 0.2)
    assertEquals(difference(1L -> Domain.Int, DoubleKeys.key(0.75) -> Domain.Double), 0.25)
  }

  test("as many values as can be counted have intervals") {
    val s = new GreenwaldKhanna(Domain.BigInt, 0.0)
    s.insert(1L, 1L << 62)
    s.insert(2L, Long.MaxValue - (1L << 62))
    val most = Known(Domain.BigInt, s.profile)
    def ends(phi: Double) = {
      val interval = QuantileInterval.of(most, Phi(phi), 0.95, 1.0).get
      (interval.low, interval.high)
    }
    assertEquals(ends(0.25), (Some(1L), Some(1L)))
    assertEquals(ends(0.5), (Some(1L), Some(2L)))
    assertEquals(ends(0.75), (Some(2L), Some(2L)))
    assertEquals(ends(0.0), (None, Some(1L)))
    assertEquals(ends(1.0), (Some(2L), None))
  }

  test("huge counts, empty summaries, uncertain counts and design effects that are not positive") {
    val s = new GreenwaldKhanna(Domain.BigInt, 0.0)
    s.insert(1L, Long.MaxValue / 4)
    s.insert(2L, Long.MaxValue / 4)
    val huge = Known(Domain.BigInt, s.profile)
    val median = QuantileInterval.of(huge, Phi(0.5), 0.95, 1.0).get
    assertEquals((median.low, median.high), (Some(1L), Some(2L)))
    assertEquals(
      QuantileInterval.of(huge, Phi(0.9), 0.95, 1000.0),
      Some(QuantileInterval(2L, Some(2L), Some(2L)))
    )
    val none = Known(Domain.BigInt, RankProfile.empty)
    assertEquals(QuantileInterval.of(none, Phi(0.5), 0.95, 1.0), None)
    assertEquals(QuantileDifference.of(none, huge, Phi(0.5), 0.95, 1.0), None)
    def condition(ask: => Any): String = intercept[Refusal](ask).condition
    val doubtful = Known(Domain.BigInt, RankProfile.straddling(s.profile))
    assertEquals(condition(QuantileInterval.of(doubtful, Phi(0.5), 0.95, 1.0)), "CHRONOSKETCH_COUNT_IN_DOUBT")
    val dates = Bag(Domain.Date, IndexedSeq(1L)).summary
    assertEquals(
      condition(QuantileDifference.of(dates, dates, Phi(0.5), 0.95, 1.0)),
      "CHRONOSKETCH_NOT_NUMBERS"
    )
    Seq(0.0, -1.0, Double.NaN, Double.PositiveInfinity).foreach { effect =>
      assertEquals(
        condition(QuantileInterval.of(huge, Phi(0.5), 0.95, effect)),
        "CHRONOSKETCH_INVALID_DESIGN_EFFECT"
      )
    }
  }
}
