package chronosketch.domain

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.CheckSuite

class DoubleKeysSuite extends CheckSuite {
  private val doubles: Gen[Double] = DomainGen.value(Domain.Double).map(DoubleKeys.value)

  property("keys sort as Spark sorts doubles") {
    forAll(doubles, doubles) { (a, b) =>
      // Double.compare sorts −0.0 below 0.0; in Spark they are equal
      val expected = if (a == b) 0 else java.lang.Double.compare(a, b)
      assertEquals(java.lang.Long.compare(DoubleKeys.key(a), DoubleKeys.key(b)).sign, expected.sign)
    }
  }

  property("a key converts back to its double exactly, bit for bit") {
    forAll(Gen.long.map(java.lang.Double.longBitsToDouble)) { d =>
      val back = DoubleKeys.value(DoubleKeys.key(d))
      if (d.isNaN) assert(back.isNaN)
      else if (d == 0.0) assertEquals(java.lang.Double.doubleToRawLongBits(back), 0L)
      else assertEquals(java.lang.Double.doubleToRawLongBits(back), java.lang.Double.doubleToRawLongBits(d))
    }
  }

  test("all NaN have the same key, above +∞; −0.0 has the key of 0.0") {
    val nans = Seq(0x7ff0000000000001L, 0x7fffffffffffffffL, 0xfff8000000000000L, 0xffffffffffffffffL)
    nans.foreach(bits =>
      assertEquals(DoubleKeys.key(java.lang.Double.longBitsToDouble(bits)), DoubleKeys.NaN)
    )
    assert(DoubleKeys.NaN > DoubleKeys.key(Double.PositiveInfinity))
    assertEquals(DoubleKeys.key(-0.0), DoubleKeys.key(0.0))
    assertEquals(DoubleKeys.key(0.0), 0L)
  }

  property("isKey is true exactly for the keys of doubles") {
    val ends = Seq(DoubleKeys.NaN, DoubleKeys.PositiveInfinity, DoubleKeys.NegativeInfinity, 0L)
    val near = ends.flatMap(k => Seq(k - 1, k, k + 1)) ++ Seq(Long.MinValue, Long.MaxValue)
    forAll(Gen.oneOf(Gen.long, Gen.oneOf(near))) { k =>
      assertEquals(DoubleKeys.isKey(k), DoubleKeys.key(DoubleKeys.value(k)) == k)
    }
  }
}
