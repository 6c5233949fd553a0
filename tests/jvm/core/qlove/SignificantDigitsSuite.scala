package chronosketch.qlove

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.CheckSuite
import chronosketch.domain.{Domain, DomainGen, DoubleKeys}
import chronosketch.summary.Estimate

class SignificantDigitsSuite extends CheckSuite {
  test("rounds to the nearest number with that many digits; towards zero if the type lacks it") {
    def whole(key: Long, digits: Int, domain: Domain = Domain.BigInt): Long =
      SignificantDigits.round(key, domain, digits)
    assertEquals(
      Seq(0L, 7L, 994L, 995L, 1000L, -12345L).map(whole(_, 2)),
      Seq(0L, 7L, 990L, 1000L, 1000L, -12000L)
    )
    assertEquals(Seq(125L, -125L, 124L).map(whole(_, 2)), Seq(130L, -130L, 120L))
    assertEquals(whole(Long.MaxValue, 3), 9220000000000000000L)
    assertEquals(whole(Long.MaxValue, 5), 9223300000000000000L)
    assertEquals(whole(Long.MinValue, 5), -9223300000000000000L)
    assertEquals(whole(Long.MaxValue, 17), 9223372036854775800L)
    assertEquals(whole(Long.MinValue, 17), -9223372036854775800L)
    assertEquals(Seq(127L, -128L).map(whole(_, 2, Domain.TinyInt)), Seq(120L, -120L))
    def floating(value: Double, digits: Int): Double =
      DoubleKeys.value(SignificantDigits.round(DoubleKeys.key(value), Domain.Double, digits))
    assertEquals(
      Seq(0.0, 0.1236, -1236e10, 1.5, 1e300, Double.MinPositiveValue).map(floating(_, 3)),
      Seq(0.0, 0.124, -124e11, 1.5, 1e300, Double.MinPositiveValue)
    )
    Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, Double.MaxValue).foreach { v =>
      assertEquals(java.lang.Double.compare(floating(v, 1), v), 0)
    }
  }

  property("the error is at most half a unit of the last digit, for every type") {
    val cases = for {
      domain <- Gen.oneOf(DomainGen.numeric)
      key <- DomainGen.value(domain)
      digits <- Gen.choose(1, SignificantDigits.Most)
    } yield (domain, key, digits)
    forAll(cases) { case (domain, key, digits) =>
      val rounded = SignificantDigits.round(key, domain, digits)
      assert(domain.holds(rounded), s"$rounded")
      val (before, after) = (Estimate.of(key, domain).value, Estimate.of(rounded, domain).value)
      if (math.abs(before) < 1e290) {
        // twice that at the ends of a type, plus rounding of doubles
        val limit =
          math.abs(before) * (math.pow(10, 1.0 - digits) + 1e-14) + (if (domain == Domain.Float)
                                                                       math.abs(before) * 1e-7 + 1e-44
                                                                     else 0.0)
        assert(math.abs(after - before) <= limit, s"$before became $after")
      } else assertEquals(java.lang.Double.compare(before, after), 0)
    }
  }
}
