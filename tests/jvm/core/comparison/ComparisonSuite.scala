package chronosketch.comparison

import java.math.{BigDecimal => Exact}

import org.scalacheck.Prop._

import chronosketch.comparison.Bags.{Bag, Known}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile
import chronosketch.summary.ExactBag
import chronosketch.{Cases, CheckSuite, Refusal}

/** Compares distances of two summaries with those of their sorted values: equal if exact, and always within the bounds. */
class ComparisonSuite extends CheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(1500))

  private def bag(keys: IndexedSeq[Long]): ExactBag = ExactBag.of(keys.toArray)

  private def doubles(values: Double*): Bag = Bag(Domain.Double, values.map(DoubleKeys.key).toIndexedSeq)
  private def pair(a: Bag, b: Bag): SketchPair = SketchPair.of(a.summary, b.summary).get

  private def inWorlds(
      a: Bag,
      b: Bag,
      in: Domain
  )(check: (IndexedSeq[Long], IndexedSeq[Long]) => Unit): Unit =
    for (x <- a.worlds(in); y <- b.worlds(in)) check(x, y)

  property("the exact Kolmogorov–Smirnov distance is within the bounds, which are equal for exact bags") {
    forAll(Bags.pairs()) { case (a, b) =>
      val both = pair(a, b)
      val ks = KolmogorovSmirnov.of(both)
      val BoundedNumber(distance, low, high) = ks.distance
      assert(0 <= low && low <= distance && distance <= high && high <= 1, ks.distance)
      inWorlds(a, b, both.domain) { (x, y) =>
        val (exact, at) = ExactDistances.kolmogorovSmirnov(bag(x), bag(y))
        assert(low <= exact && exact <= high, (ks.distance, exact))
        if (a.isExact && b.isExact) {
          assertEquals(ks.distance, BoundedNumber(exact, exact, exact))
          assertEquals(ks.at, at)
        }
      }
      val BoundedNumber(p, least, most) = ks.pValue
      assert(0 <= least && least <= p && p <= most && most <= 1, ks.pValue)
    }
  }

  property("the exact stability index is within the bounds, which are nearly equal for exact bags") {
    forAll(Bags.pairs(), org.scalacheck.Gen.oneOf(2, 3, 10, 40)) { case ((a, b), bins) =>
      val both = pair(a, b)
      val BoundedNumber(value, low, high) = StabilityIndex.of(both, bins)
      assert(0 <= low && low <= value && value <= high && !high.isInfinite, (low, value, high))
      val edges = StabilityIndex.edges(both.leftEstimates, bins)
      inWorlds(a, b, both.domain) { (x, y) =>
        val exact = ExactDistances.stabilityIndex(bag(x), bag(y), edges)
        val slack = 1e-14 * (1 + exact)
        assert(low <= exact + slack && exact <= high + slack, (low, exact, high))
        if (a.isExact && b.isExact) assert(high - low <= 2 * slack && math.abs(value - exact) <= slack)
      }
    }
  }

  property("the exact Wasserstein distance is within the bounds, which are nearly equal for exact bags") {
    forAll(Bags.pairs()) { case (a, b) =>
      val both = pair(a, b)
      val distance = Wasserstein.of(both)
      val BoundedNumber(value, low, high) = distance
      assert(0 <= low && low <= value && value <= high, distance)
      inWorlds(a, b, both.domain) { (x, y) =>
        ExactDistances.wasserstein(bag(x), bag(y), both.domain) match {
          case None => assertEquals(high, Double.PositiveInfinity)
          case Some((exact, whole)) =>
            assert(new Exact(low).multiply(whole).compareTo(exact) <= 0, (distance, exact, whole))
            assert(
              high.isInfinite || new Exact(high).multiply(whole).compareTo(exact) >= 0,
              (distance, exact, whole)
            )
            if (a.isExact && b.isExact) assert(high - low <= 1e-12 * high || high < 1e-300, distance)
        }
      }
    }
  }

  // scipy 1.17.1: ks_2samp(a, b, method="asymp") and wasserstein_distance(a, b)
  test("distances of few and of many values are those of scipy") {
    val a = doubles((1 to 10).map(_.toDouble): _*)
    val b = doubles(((3 to 13).map(_.toDouble) :+ 14.5): _*)
    val ks = KolmogorovSmirnov.of(pair(a, b))
    assertEqualsDouble(ks.distance.value, 0.3333333333333333, 1e-15)
    // scipy rounds the effective size 5.45 to 5 and gets 0.533; its exact p-value is this one
    assertEqualsDouble(ks.pValue.value, 0.4769564800524554, 0.01)
    assertEqualsDouble(Wasserstein.of(pair(a, b)).value, 3.0416666666666665, 1e-14)
    val x = doubles((0 until 400).map(i => (i * 7919 % 10007) / 10.0): _*)
    val y = doubles((0 until 600).map(i => (i * 104729 % 9973) / 9.0): _*)
    val many = KolmogorovSmirnov.of(pair(x, y))
    assertEqualsDouble(many.distance.value, 0.065, 1e-15)
    assertEqualsDouble(many.pValue.value, 0.25152536963601135, 1e-4)
    assertEqualsDouble(Wasserstein.of(pair(x, y)).value, 30.193787037037037, 1e-12)
  }

  // scipy.stats.kstwobign.sf
  test("the limiting distribution of Kolmogorov is that of scipy") {
    Seq(
      0.1 -> 1.0,
      0.3 -> 0.9999906941986655,
      0.5 -> 0.9639452436648751,
      0.8 -> 0.5441424115741981,
      1.0 -> 0.26999967167735456,
      1.18 -> 0.1234538094297657,
      1.2 -> 0.11224966667072497,
      1.5 -> 0.022217962616525127,
      2.0 -> 6.709252557796953e-4,
      3.0 -> 3.045995948942526e-8,
      6.0 -> 1.0760372320042276e-31,
      12.0 -> 1.6757885067638739e-125
    ).foreach { case (t, p) => assertEqualsDouble(KolmogorovSmirnov.limitingTail(t), p, 1e-12 * p) }
    assertEquals(KolmogorovSmirnov.limitingTail(1e6), 0.0)
    assertEquals(KolmogorovSmirnov.pValue(0.0, 5.0), 1.0)
    assertEquals(KolmogorovSmirnov.pValue(0.5, 0.0), 1.0)
  }

  test("equal, disjoint and constant values") {
    val a = doubles(1, 2, 3)
    val same = pair(a, doubles(1, 1, 2, 2, 3, 3))
    assertEquals(KolmogorovSmirnov.of(same).distance, BoundedNumber(0, 0, 0))
    assertEquals(KolmogorovSmirnov.of(same).at, None)
    assertEquals(KolmogorovSmirnov.of(same).pValue, BoundedNumber(1, 1, 1))
    assertEquals(Wasserstein.of(same), BoundedNumber(0, 0, 0))
    assert(StabilityIndex.of(same, 10).high < 1e-28)
    val apart = pair(a, doubles(11, 12, 13))
    assertEquals(KolmogorovSmirnov.of(apart).distance, BoundedNumber(1, 1, 1))
    assertEquals(KolmogorovSmirnov.of(apart).at, Some(DoubleKeys.key(3)))
    assertEqualsDouble(Wasserstein.of(apart).value, 10.0, 1e-14)
    val constant = pair(doubles(5), doubles(5, 5))
    assertEquals(KolmogorovSmirnov.of(constant).distance, BoundedNumber(0, 0, 0))
    // a's only edge is 5: all of a is at or below it, and none of 6
    val above = StabilityIndex.of(pair(doubles(5, 5), doubles(6, 6)), 10)
    assertEqualsDouble(above.value, 2 * (1 - 0.25) * math.log(4), 1e-12)
  }

  test("0.0 and −0.0 are equal, infinities are infinitely far, and NaN has no distance") {
    val zeros = pair(doubles(0.0), doubles(-0.0))
    assertEquals(Wasserstein.of(zeros), BoundedNumber(0, 0, 0))
    val infinite = doubles(1, Double.PositiveInfinity)
    assertEquals(Wasserstein.of(pair(infinite, infinite)).high, 0.0)
    assertEquals(Wasserstein.of(pair(infinite, doubles(1, 2))).low, Double.PositiveInfinity)
    assertEquals(
      Wasserstein.of(pair(doubles(Double.NegativeInfinity), doubles(1))).low,
      Double.PositiveInfinity
    )
    val (least, most) = (-Double.MaxValue, Double.MaxValue)
    val extremes = Wasserstein.of(pair(doubles(least, least, most), doubles(least, most, most)))
    assertEqualsDouble(extremes.value / most, 2.0 / 3, 1e-15)
    val undefined = Wasserstein.of(pair(doubles(1, Double.NaN), doubles(1)))
    assert(undefined.value.isNaN && undefined.low.isNaN && undefined.high.isNaN)
    assertEquals(KolmogorovSmirnov.of(pair(doubles(1, Double.NaN), doubles(1))).distance.value, 0.5)
  }

  test("counts whose products exceed 64 bits") {
    def counted(low: Long, high: Long): Known = {
      val s = new GreenwaldKhanna(Domain.BigInt, 0.0)
      s.insert(1L, low)
      s.insert(2L, high)
      Known(Domain.BigInt, s.profile)
    }
    val huge = Long.MaxValue / 4
    val ks = KolmogorovSmirnov.of(SketchPair.of(counted(huge, huge), counted(3L, 1L)).get)
    assertEquals(ks.distance, BoundedNumber(0.25, 0.25, 0.25))
    val two = SketchPair.of(counted(huge, huge), counted(huge / 2, huge / 2)).get
    assertEquals(KolmogorovSmirnov.of(two).distance, BoundedNumber(0, 0, 0))
    val shifted = SketchPair.of(counted(huge, huge), counted(huge / 2, 3 * (huge / 2))).get
    assertEqualsDouble(Wasserstein.of(shifted).value, 0.25, 1e-15)
    assertEqualsDouble(StabilityIndex.of(shifted, 2).value, 0.25 * math.log(2) + 0.25 * math.log(1.5), 1e-12)
  }

  test("distances of whole numbers that exceed 63 bits are rounded as Python rounds them") {
    def far(to: Long): Double = Wasserstein.of(
      pair(Bag(Domain.BigInt, IndexedSeq(Long.MinValue)), Bag(Domain.BigInt, IndexedSeq(to)))
    ).value
    // one more than the middle of two doubles
    assertEquals(far(1025L), Math.scalb(1.0, 63) + 2048)
    assertEquals(far(1024L), Math.scalb(1.0, 63))
  }

  test("uncertain counts whose sums exceed 64 bits") {
    def uncertain(key: Long): Known = {
      val s = new GreenwaldKhanna(Domain.BigInt, 0.0)
      s.insert(key, Long.MaxValue / 2)
      s.insert(key + 1, Long.MaxValue / 2)
      Known(Domain.BigInt, RankProfile.partOf(s.profile, Long.MaxValue / 2, s.profile.countHigh))
    }
    val both = SketchPair.of(uncertain(1L), uncertain(2L)).get
    val BoundedNumber(distance, low, high) = KolmogorovSmirnov.of(both).distance
    assertEqualsDouble(distance, 0.5, 1e-15)
    assertEquals((low, high), (0.0, 1.0))
    assert(StabilityIndex.of(both, 2).low >= 0)
    assert(Wasserstein.of(both).low >= 0)
  }

  test("dates have ranks but no distance, and types that no type holds exactly are refused") {
    val dates = Bag(Domain.Date, IndexedSeq(1L, 2L))
    val later = Bag(Domain.Date, IndexedSeq(2L, 3L))
    assertEquals(KolmogorovSmirnov.of(pair(dates, later)).distance.value, 0.5)
    def condition(ask: => Any): String = intercept[Refusal](ask).condition
    assertEquals(condition(Wasserstein.of(pair(dates, later))), "CHRONOSKETCH_NOT_NUMBERS")
    val whole = Bag(Domain.BigInt, IndexedSeq(1L))
    assertEquals(condition(pair(dates, whole)), "CHRONOSKETCH_VALUE_TYPES_DIFFER")
    assertEquals(condition(pair(doubles(1), whole)), "CHRONOSKETCH_VALUE_TYPES_DIFFER")
    assertEquals(SketchPair.of(Known(Domain.Date, RankProfile.empty), whole.summary), None)
  }
}
