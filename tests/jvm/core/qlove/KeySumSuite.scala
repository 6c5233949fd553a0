package chronosketch.qlove

import java.math.{BigDecimal, MathContext, RoundingMode}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.domain.{Domain, DomainGen, DoubleKeys}

/** Tests sums with keys that are added and removed. */
class KeySumSuite extends CheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(200))

  private val rows: Gen[(Domain, Vector[Long], Vector[Long])] = for {
    domain <- DomainGen.domain
    kept <- Gen.nonEmptyListOf(DomainGen.value(domain))
    removed <- Gen.listOf(DomainGen.value(domain))
  } yield (domain, kept.toVector, removed.toVector)

  private def sumOf(domain: Domain, kept: Seq[Long], removed: Seq[Long]): KeySum = {
    val sum = KeySum(domain)
    (kept ++ removed).foreach(sum.add)
    removed.reverse.foreach(sum.remove)
    sum
  }

  property("keys that were added and removed have no effect on the mean") {
    forAll(rows) { case (domain, kept, removed) =>
      val expected = sumOf(domain, kept, Nil).mean(kept.size, domain)
      assertEquals(sumOf(domain, kept.reverse, removed).mean(kept.size, domain).toString, expected.toString)
    }
  }

  private val finite: Gen[Double] = Gen.oneOf(
    Gen.choose(-1e3, 1e3),
    Gen.long.map(java.lang.Double.longBitsToDouble).map(v => if (v.isNaN || v.isInfinite) 0.5 else v),
    Gen.oneOf(Double.MaxValue, -Double.MaxValue, Double.MinPositiveValue, -Double.MinPositiveValue, 0.0),
    Gen.choose(-99L, 99L).map(_ * Double.MinPositiveValue),
    Gen.choose(-9L, 9L).map(_ * java.lang.Double.MIN_NORMAL * 0.75),
    Gen.choose(1L, 9L).map(i => 1.0 + i * Math.ulp(1.0))
  )

  property("the mean of doubles is the nearest double") {
    forAll(Gen.nonEmptyListOf(finite), Gen.listOf(finite)) { (kept, removed) =>
      val answer =
        sumOf(
          Domain.Double,
          kept.map(DoubleKeys.key),
          removed.map(DoubleKeys.key)
        ).mean(kept.size, Domain.Double)
      // more digits than a sum of doubles can have, so that a remainder shows
      val sum = kept.map(new BigDecimal(_)).reduce(_ add _)
      val digits = new MathContext(2500, RoundingMode.DOWN)
      val exact = sum.divide(BigDecimal.valueOf(kept.size.toLong), digits)
      def off(v: Double): BigDecimal = exact.subtract(new BigDecimal(v)).abs
      val (value, below, above) = (answer.value, Math.nextDown(answer.value), Math.nextUp(answer.value))
      Seq(below, above).filter(java.lang.Double.isFinite).foreach { v =>
        assert(off(value).compareTo(off(v)) <= 0, s"$value, but $v is nearer")
        val isEven = (java.lang.Double.doubleToLongBits(value) & 1) == 0
        assert(off(value).compareTo(off(v)) != 0 || isEven, s"$value, but $v is as near and even")
      }
      assertEquals(answer.key, DoubleKeys.key(value))
    }
  }

  property("the mean is within the range of the keys") {
    forAll(rows) { case (domain, kept, removed) =>
      val isMixed = domain.isFloating &&
        (kept.max == DoubleKeys.NaN || (kept.min == DoubleKeys.NegativeInfinity && kept.max == DoubleKeys.PositiveInfinity))
      val key = sumOf(domain, kept, removed).mean(kept.size, domain).key
      if (isMixed) assertEquals(key, DoubleKeys.NaN)
      else assert(kept.min <= key && key <= kept.max, s"$key of $kept")
    }
  }
}
