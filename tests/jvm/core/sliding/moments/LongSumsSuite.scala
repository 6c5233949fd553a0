package chronosketch.sliding.moments

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.sliding.ColumnGen

class LongSumsSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(500))

  private def exact(high: Long, low: Long): BigInt = (BigInt(high) << 64) + (BigInt(low) & LongSumsSuite.Ones)

  property("sums are exact, whether or not they fit in a long") {
    forAllNoShrink(ColumnGen.ofLongs) { case (frames, values) =>
      val high, low = new Array[Long](frames.rows)
      LongSums.slide(values, frames, high, low)
      (0 until frames.rows).foreach { row =>
        val sum = values.slice(frames.from(row), frames.until(row)).map(BigInt(_)).sum
        assertEquals(exact(high(row), low(row)), sum)
        assertEquals(low(row), sum.toLong)
        assertEquals(LongSums.isLong(high(row), low(row)), sum.isValidLong)
        assertEquals(LongSums.toDouble(high(row), low(row)), BigDecimal.exact(sum).toDouble)
      }
    }
  }

  property("the double is the nearest, the even one of two") {
    val sums = for {
      bits <- Gen.choose(1, 94)
      // near numbers half-way between two doubles
      lead <- Gen.choose(0L, 3L)
      near <- Gen.choose(-2, 2)
      sign <- Gen.oneOf(1, -1)
      half = if (bits > 54) BigInt(1) << (bits - 54) else BigInt(0)
    } yield ((BigInt(1) << bits) + half * lead + near) * sign
    forAllNoShrink(sums) { sum =>
      val (high, low) = ((sum >> 64).toLong, sum.toLong)
      assertEquals(exact(high, low), sum)
      assertEquals(LongSums.toDouble(high, low), new java.math.BigDecimal(sum.bigInteger).doubleValue)
    }
  }
}

object LongSumsSuite {
  private val Ones = (BigInt(1) << 64) - 1
}
