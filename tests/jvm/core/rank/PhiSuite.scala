package chronosketch.rank

import java.math.{BigDecimal, BigInteger, MathContext, RoundingMode}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}

class PhiSuite extends CheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(1000))

  private val counts: Gen[Long] = Gen.oneOf(
    Gen.choose(1L, 1000L),
    Gen.choose(1L, Long.MaxValue),
    Gen.oneOf(1L, 2L, 99L, 100L, 101L, 1000000007L, 1L << 31, (1L << 53) + 1, 1L << 62, Long.MaxValue)
  )

  /** φ as text, from short decimals to ones past every fast path. */
  private val texts: Gen[BigDecimal] = for {
    digits <- Gen.oneOf(1, 2, 3, 4, 9, 17, 18, 19, 25, 38)
    some <- Gen.listOfN(digits, Gen.choose('0', '9')).map(all => new BigDecimal("0." + all.mkString))
    phi <- Gen.frequency(
      8 -> Gen.const(some),
      1 -> Gen.oneOf("0", "1", "1.000", "0.0", "0.5").map(new BigDecimal(_))
    )
  } yield phi

  private def oracle(phi: BigDecimal, n: Long): Long =
    phi.multiply(BigDecimal.valueOf(n)).setScale(0, RoundingMode.CEILING).max(BigDecimal.ONE).longValueExact

  property("the rank of a decimal φ is max(1, ⌈φn⌉), exactly") {
    forAll(texts, counts)((phi, n) => assertEquals(Phi(phi).rank(n), oracle(phi, n)))
  }

  property("from the greatest, exactly max(1, ⌈φn⌉) elements are at or above the rank") {
    forAll(texts, counts) { (phi, n) =>
      assertEquals(Phi(phi).fromGreatest.rank(n), n - oracle(phi, n) + 1)
      assertEquals(Phi(phi).fromGreatest.decimal, Phi(phi).decimal)
    }
  }

  test("from the greatest, φ is not 1 − φ: if φn is whole, the two ranks differ by one") {
    assertEquals(Phi(0.5).fromGreatest.rank(6), 4L)
    assertEquals(Phi(0.5).rank(6), 3L)
    assertEquals(Phi(0.07).fromGreatest.rank(100), 94L)
    assertEquals(Phi(0.0).fromGreatest.rank(100), 100L)
    assertEquals(Phi(1.0).fromGreatest.rank(100), 1L)
    assert(Phi(0.5) != Phi(0.5).fromGreatest)
    assertEquals(Phi(new BigDecimal("0.50")).fromGreatest, Phi(0.5).fromGreatest)
  }

  property("interpolated ranks: φ(n − 1) from either end, exactly") {
    forAll(texts, counts) { (phi, n) =>
      val steps = phi.multiply(BigDecimal.valueOf(n - 1))
      assertEquals(Phi(phi).steps(n).compareTo(steps), 0)
      assertEquals(
        Phi(phi).fromGreatest.steps(n).compareTo(BigDecimal.valueOf(n - 1).subtract(steps)),
        0
      )
    }
  }

  property("a double is used as the decimal of its shortest text") {
    forAll(Gen.choose(0L, 1000000L), counts) { (millionths, n) =>
      val text = new BigDecimal(BigInteger.valueOf(millionths), 6)
      assertEquals(Phi(text.doubleValue), Phi(text))
      assertEquals(Phi(text.doubleValue).rank(n), oracle(text, n))
    }
  }

  property("a float is used as the decimal of its shortest text") {
    forAll(Gen.choose(0L, 10000L), counts) { (tenThousandths, n) =>
      val text = new BigDecimal(BigInteger.valueOf(tenThousandths), 4)
      assertEquals(Phi(text.floatValue), Phi(text))
      assertEquals(Phi(text.floatValue).rank(n), oracle(text, n))
    }
  }

  property("the text of any double denotes it, and no shorter text does") {
    val doubles = Gen.oneOf(
      Gen.choose(0.0, 1.0),
      Gen.choose(0, 1074).map(k => Math.scalb(1.0, -k)),
      Gen.choose(0L, 0x3ff0000000000000L).map(java.lang.Double.longBitsToDouble)
    )
    forAll(doubles) { d =>
      val text = Phi(d).decimal
      assertEquals(text.doubleValue, d)
      val digits = text.precision - 1
      if (digits >= 1) Seq(RoundingMode.DOWN, RoundingMode.UP).foreach { mode =>
        val shorter = new BigDecimal(d).round(new MathContext(digits, mode))
        assert(shorter.doubleValue != d, s"$text, but $shorter denotes $d too")
      }
    }
  }

  test("⌈0.07·100⌉ is 7 for every type of 0.07") {
    assertEquals(Phi(0.07).rank(100), 7L)
    assertEquals(Phi(0.07f).rank(100), 7L)
    assertEquals(Phi(new BigDecimal("0.07")).rank(100), 7L)
    assertEquals(Phi(0.29).rank(100), 29L)
    assertEquals(Phi(0.57).rank(100), 57L)
    assertEquals(Phi(1.1e-5).rank(1000000), 11L)
  }

  test("φ = 0 is the minimum and φ = 1 the maximum for every n") {
    Seq(1L, 2L, 1000L, Long.MaxValue).foreach { n =>
      assertEquals(Phi(0.0).rank(n), 1L)
      assertEquals(Phi(-0.0).rank(n), 1L)
      assertEquals(Phi(1.0).rank(n), n)
      assertEquals(Phi(Double.MinPositiveValue).rank(n), 1L)
    }
  }

  property("reached is true exactly if the φ-quantile of atMost + above elements is among the first atMost") {
    val sizes = Gen.oneOf(Gen.choose(0L, 50L), Gen.choose(0L, Long.MaxValue / 2))
    forAll(texts, sizes.map(_ + 1), sizes) { (phi, atMost, above) =>
      val n = atMost + above
      assertEquals(Phi(phi).reached(atMost, above), oracle(phi, n) <= atMost)
      assertEquals(Phi(phi).fromGreatest.reached(atMost, above), n - oracle(phi, n) + 1 <= atMost)
    }
  }

  test("a φ that is not between 0 and 1 is refused with its text") {
    val refused = Seq(
      intercept[Refusal](Phi(Double.NaN)) -> "NaN",
      intercept[Refusal](Phi(1.0000001)) -> "1.0000001",
      intercept[Refusal](Phi(-0.1)) -> "-0.1",
      intercept[Refusal](Phi(Double.PositiveInfinity)) -> "Infinity",
      intercept[Refusal](Phi(Float.NaN)) -> "NaN",
      intercept[Refusal](Phi(1.5f)) -> "1.5",
      intercept[Refusal](Phi(new BigDecimal("-0.01"))) -> "-0.01",
      intercept[Refusal](Phi(new BigDecimal("1.01"))) -> "1.01"
    )
    refused.foreach { case (refusal, text) =>
      assertEquals(refusal.condition, "CHRONOSKETCH_INVALID_PHI")
      assertEquals(refusal.parameters, Map("phi" -> text))
    }
  }

  test("equal values are equal, however they are written") {
    assertEquals(Phi(new BigDecimal("0.50")), Phi(0.5))
    assertEquals(Phi(new BigDecimal("0.50")).hashCode, Phi(0.5).hashCode)
    assertEquals(Phi(1e-7).toString, "0.0000001")
  }
}
