package chronosketch.domain

import java.math.BigDecimal

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}

class ConversionSuite extends CheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(2000))

  /** A number as a pair that sorts −∞, finite numbers, +∞ and NaN in this order. */
  private def real(domain: Domain, key: Long): (Int, BigDecimal) =
    if (!domain.isFloating) (0, BigDecimal.valueOf(key, domain.second))
    else {
      val d = DoubleKeys.value(key)
      if (d.isNaN) (2, BigDecimal.ZERO)
      else if (d.isInfinite) (if (d > 0) 1 else -1, BigDecimal.ZERO)
      else (0, new BigDecimal(d))
    }

  private def compare(a: (Int, BigDecimal), b: (Int, BigDecimal)): Int =
    if (a._1 != b._1) a._1.compare(b._1) else a._2.compareTo(b._2)

  private def previous(domain: Domain, key: Long): Option[Long] =
    if (!domain.isFloating) Some(key).filter(_ > domain.least).map(_ - 1)
    else {
      val d = DoubleKeys.value(key)
      if (d.isNaN) Some(DoubleKeys.PositiveInfinity)
      else if (d == Double.NegativeInfinity) None
      else DomainGen.next(domain, DoubleKeys.key(-d)).map(k => DoubleKeys.key(-DoubleKeys.value(k)))
    }

  private val cases: Gen[(Domain, Long, Domain)] = for {
    from <- Gen.oneOf(DomainGen.numeric)
    key <- DomainGen.value(from)
    to <- Gen.oneOf(DomainGen.numeric)
  } yield (from, key, to)

  private def attempt(body: => Long): Option[Long] =
    try Some(body)
    catch {
      case r: Refusal =>
        assertEquals(r.condition, "CHRONOSKETCH_VALUE_OUT_OF_RANGE")
        None
    }

  private def outside(to: Domain, x: (Int, BigDecimal)): Boolean =
    x._1 != 0 || compare(real(to, to.least), x) > 0 || compare(real(to, to.greatest), x) < 0

  property("Down gives the greatest value not above, Up the least not below; None only if there is none") {
    forAll(cases) { case (from, key, to) =>
      val x = real(from, key)
      attempt(Conversion.convert(key, from, to, Conversion.Down)) match {
        case Some(down) =>
          assert(to.holds(down))
          assert(compare(real(to, down), x) <= 0, "not above")
          DomainGen.next(to, down).foreach(k => assert(compare(real(to, k), x) > 0, "the greatest"))
        case None => assert(outside(to, x))
      }
      attempt(Conversion.convert(key, from, to, Conversion.Up)) match {
        case Some(up) =>
          assert(to.holds(up))
          assert(compare(real(to, up), x) >= 0, "not below")
          previous(to, up).foreach(k => assert(compare(real(to, k), x) < 0, "the least"))
        case None => assert(outside(to, x))
      }
    }
  }

  property("Nearest gives a value that is at least as close as its neighbours") {
    forAll(cases) { case (from, key, to) =>
      val x = real(from, key)
      attempt(Conversion.convert(key, from, to, Conversion.Nearest)).foreach { nearest =>
        assert(to.holds(nearest))
        val y = real(to, nearest)
        assertEquals(y._1 == 2, x._1 == 2)
        if (x._1 == 0 && y._1 == 0) {
          val distance = y._2.subtract(x._2).abs
          val neighbours = previous(to, nearest) ++ DomainGen.next(to, nearest)
          neighbours.map(real(to, _)).filter(_._1 == 0).foreach { z =>
            assert(distance.compareTo(z._2.subtract(x._2).abs) <= 0)
          }
        }
      }
    }
  }

  property("floor: a value of `to` is at most the floor exactly if it is at most the converted value") {
    val probed = cases.flatMap { case (from, key, to) => DomainGen.value(to).map((from, key, to, _)) }
    forAll(probed) { case (from, key, to, probe) =>
      val x = real(from, key)
      val floor = Conversion.floor(key, from, to)
      floor.foreach(k => assert(to.holds(k)))
      val near =
        floor.toSeq.flatMap(k => Seq(k) ++ DomainGen.next(to, k)) ++ Seq(probe, to.least, to.greatest)
      near.foreach(k => assertEquals(floor.exists(k <= _), compare(real(to, k), x) <= 0, s"$floor $k"))
    }
  }

  test("2⁵³ + 1 is converted exactly, not through a double") {
    val odd = (1L << 53) + 1
    def double(rounding: Conversion.Rounding): Double =
      DoubleKeys.value(Conversion.convert(odd, Domain.BigInt, Domain.Double, rounding))
    assertEquals(Conversion.convert(odd, Domain.BigInt, Domain.BigInt, Conversion.Nearest), odd)
    assertEquals(Conversion.convert(odd, Domain.BigInt, Domain.decimal(18, 0), Conversion.Nearest), odd)
    assertEquals(double(Conversion.Down), (1L << 53).toDouble)
    assertEquals(double(Conversion.Up), ((1L << 53) + 2).toDouble)
    // in doubles, 2⁵³ + 1 and 2⁵³ are equal
    assertEquals(
      Conversion.floor(DoubleKeys.key((1L << 53).toDouble), Domain.Double, Domain.BigInt),
      Some(odd - 1)
    )
  }

  test("a half is rounded away from zero, as in CAST to DECIMAL") {
    def nearest(d: Double): Long =
      Conversion.convert(DoubleKeys.key(d), Domain.Double, Domain.decimal(5, 0), Conversion.Nearest)
    assertEquals(Seq(0.5, 1.5, 2.5, -0.5, -2.5).map(nearest), Seq(1L, 2L, 3L, -1L, -3L))
  }

  test("floor of NaN and +∞ is the greatest key, and of values below the range it is None") {
    def floor(d: Double): Option[Long] = Conversion.floor(DoubleKeys.key(d), Domain.Double, Domain.Int)
    assertEquals(floor(Double.NaN), Some(Int.MaxValue.toLong))
    assertEquals(floor(Double.PositiveInfinity), Some(Int.MaxValue.toLong))
    assertEquals(floor(Double.NegativeInfinity), None)
    assertEquals(floor(-0.0), Some(0L))
    assertEquals(floor(-Double.MinPositiveValue), Some(-1L))
    assertEquals(floor(-2147483648.5), None)
  }

  test("a float is compared with its exact value as a double") {
    // 0.1f = 0.100000001…: above 0.1
    val tenth = DoubleKeys.key(0.1f.toDouble)
    assertEquals(Conversion.floor(tenth, Domain.Float, Domain.decimal(10, 9)), Some(100000001L))
    val below = DoubleKeys.key(Math.nextDown(0.1f).toDouble)
    assertEquals(Conversion.floor(DoubleKeys.key(0.1), Domain.Double, Domain.Float), Some(below))
  }

  test("types that do not convert are refused") {
    val mixed = Seq(
      Domain.Int -> Domain.Date,
      Domain.Date -> Domain.Timestamp,
      Domain.Timestamp -> Domain.TimestampNtz,
      Domain.Double -> Domain.time(6)
    )
    mixed.foreach { case (from, to) =>
      assert(!Conversion.allowed(from, to))
      assertEquals(
        intercept[Refusal](Conversion.floor(0, from, to)).condition,
        "CHRONOSKETCH_VALUE_NOT_COMPARABLE"
      )
      assertEquals(
        intercept[Refusal](Conversion.convert(0, from, to, Conversion.Down)).condition,
        "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE"
      )
    }
    assert(Conversion.allowed(Domain.dayTimeInterval(2, 2), Domain.dayTimeInterval(0, 3)))
    assert(!Conversion.allowed(Domain.dayTimeInterval(0, 3), Domain.dayTimeInterval(2, 2)))
  }

  test("the error for a number out of range contains it in decimal digits") {
    val refusal = intercept[Refusal](Conversion.convert(300L, Domain.Int, Domain.TinyInt, Conversion.Nearest))
    assertEquals(refusal.condition, "CHRONOSKETCH_VALUE_OUT_OF_RANGE")
    assertEquals(refusal.parameters - "fix", Map("value" -> "300", "type" -> "TINYINT"))
    intercept[Refusal](Conversion.convert(DoubleKeys.NaN, Domain.Double, Domain.BigInt, Conversion.Nearest))
  }
}
