package chronosketch.moments

import java.math.{BigDecimal, BigInteger, MathContext}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}

/** Compares power sums with exact whole numbers. */
class MomentsPowerSumsSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(300))

  private val ends = Seq(
    0L,
    1L,
    1L << 13,
    (1L << 13) + 1,
    1L << 32,
    3L << 62,
    1L << 31,
    (1L << 31) - 1,
    1L << 32,
    Long.MaxValue
  )
  private val number: Gen[Long] = Gen.frequency(
    2 -> Gen.long,
    2 -> Gen.oneOf(ends ++ ends.map(-_) ++ Seq(Long.MinValue)),
    1 -> Gen.choose(-9000L, 9000L)
  )
  private val numbers: Gen[List[Long]] = Gen.oneOf(
    Gen.choose(0, 256).flatMap(Gen.listOfN(_, number)),
    Gen.choose(0, 256).flatMap(Gen.listOfN(_, Gen.choose(-8192L, 8192L))),
    Gen.choose(0, 256).flatMap(Gen.listOfN(_, Gen.choose(Int.MinValue.toLong, Int.MaxValue.toLong))),
    Gen.oneOf(number, Gen.oneOf(Int.MinValue.toLong, Long.MinValue)).map(List.fill(256)(_))
  )

  private def expected(numbers: Seq[(Long, Long)], power: Int): BigInteger =
    numbers.map { case (x, n) => BigInteger.valueOf(x).pow(power).multiply(BigInteger.valueOf(n)) }
      .foldLeft(BigInteger.ZERO)(_.add(_))

  private def assertSums(sums: PowerSums, weighted: Seq[(Long, Long)]): Unit =
    (1 to PowerSums.Powers).foreach { power =>
      assertEquals(sums.sum(power), expected(weighted, power), s"$power")
    }

  private def of(numbers: List[Long]): PowerSums = {
    val sums = new PowerSums
    if (numbers.nonEmpty) sums.add(numbers.toArray, 0, numbers.size, numbers.min, numbers.max)
    sums
  }

  property("blocks of numbers of any size, and the sum of two") {
    forAll(numbers, numbers) { (a, b) =>
      val sums = of(a)
      assertSums(sums, a.map(_ -> 1L))
      sums.add(of(b))
      assertSums(sums, (a ++ b).map(_ -> 1L))
    }
  }

  property("copies") {
    val small = Gen.choose(-32768L, 32768L)
    val counts = Gen.oneOf(Gen.choose(0L, 9L), Gen.choose(0L, Long.MaxValue >> 8))
    val rows = Gen.oneOf(Gen.listOf(Gen.zip(number, counts)), Gen.listOf(Gen.zip(small, counts)))
    forAll(rows.map(_.take(256))) { rows =>
      val sums = new PowerSums
      val (numbers, copies) = rows.unzip
      if (rows.nonEmpty)
        sums.add(numbers.toArray, copies.toArray, 0, rows.size, numbers.min, numbers.max)
      assertSums(sums, rows)
    }
  }

  test("the largest possible count of the largest numbers does not overflow") {
    Seq(Long.MinValue, Long.MaxValue).foreach { x =>
      val sums = new PowerSums
      sums.add(x, Long.MaxValue)
      assertSums(sums, Seq(x -> Long.MaxValue))
    }
  }

  property("quotients are rounded to the nearest double, the even one of two") {
    val big = Gen.zip(Gen.listOfN(5, Gen.long), Gen.choose(1, 300)).map { case (longs, bits) =>
      longs.foldLeft(BigInteger.ZERO)((all, part) =>
        all.shiftLeft(60).add(BigInteger.valueOf(part))
      ).shiftRight(
        bits
      )
    }
    val halfway = Gen.choose(1L << 52, 1L << 53).map(BigInteger.valueOf(_).shiftLeft(1).add(BigInteger.ONE))
    forAll(Gen.oneOf(big, halfway), Gen.oneOf(big, Gen.const(BigInteger.ONE))) { (a, b) =>
      if (b.signum != 0) {
        val exact = new BigDecimal(a).divide(new BigDecimal(b), new MathContext(400))
        assertEquals(Ratio.toDouble(a, b), exact.doubleValue)
      }
      true
    }
  }
}
