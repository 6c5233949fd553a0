package chronosketch.domain

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{CheckSuite, Refusal}

/** Casts of keys, which must agree with Spark's CAST and keep the order of values. The suite of `sketch_cast` compares with Spark. */
class CastSuite extends CheckSuite {
  private def cast(from: Domain, to: Domain): Cast = Cast.of(from, to).get
  private def double(value: Double): Long = DoubleKeys.key(value)

  private def attempt(cast: Cast, key: Long): Option[Long] =
    try Some(cast(key))
    catch {
      case refusal: Refusal =>
        assertEquals(refusal.condition, "CHRONOSKETCH_VALUE_OUT_OF_RANGE")
        None
    }

  private val pairs = for (from <- DomainGen.all; to <- DomainGen.all; c <- Cast.of(from, to)) yield c

  property("a cast keeps order, and gives keys of its type") {
    val two = for {
      c <- Gen.oneOf(pairs)
      a <- DomainGen.value(c.from)
      near <- Gen.oneOf(DomainGen.value(c.from), Gen.const(DomainGen.next(c.from, a).getOrElse(a)))
    } yield (c, math.min(a, near), math.max(a, near))
    forAll(two) { case (c, a, b) =>
      val (low, high) = (attempt(c, a), attempt(c, b))
      (low ++ high).foreach(key => assert(c.to.holds(key), s"${c.from.sql} $a, $b to ${c.to.sql}: $key"))
      for (x <- low; y <- high) assert(x <= y, s"${c.from.sql} $a, $b to ${c.to.sql}: $x, $y")
    }
  }

  property("an exact cast refuses no value, and the cast back gives the value again") {
    // generated intervals and times have digits that their types have no room for
    val exact = pairs.filter(c => c.isExact && c.from.isNumeric)
    assert(exact.length > 20, exact.length.toString)
    forAll(Gen.oneOf(exact).flatMap(c => DomainGen.value(c.from).map((c, _)))) { case (c, key) =>
      assertEquals(cast(c.to, c.from)(c(key)), key, s"${c.from.sql} to ${c.to.sql}")
    }
  }

  property("a key that the cast keeps is the key of the same value") {
    forAll(Gen.oneOf(pairs.filter(_.keepsKeys)).flatMap(c => DomainGen.value(c.from).map((c, _)))) {
      case (c, key) => assert(attempt(c, key).forall(_ == key))
    }
  }

  property("a merge's type holds every value of both, and the order of the two does not matter") {
    forAll(DomainGen.domain, DomainGen.domain) { (a, b) =>
      assertEquals(a.coerced(b).map(_.sql), b.coerced(a).map(_.sql))
      a.coerced(b).foreach(to => assert(cast(a, to).isExact && cast(b, to).isExact, s"${a.sql}, ${b.sql}"))
    }
  }

  test("the types that merges give are those of Spark's own coercion, where these hold all values") {
    def merged(a: Domain, b: Domain): Option[String] = a.coerced(b).map(_.sql)
    assertEquals(merged(Domain.Int, Domain.Double), Some("DOUBLE"))
    assertEquals(merged(Domain.TinyInt, Domain.Float), Some("DOUBLE"))
    assertEquals(merged(Domain.Float, Domain.Double), Some("DOUBLE"))
    assertEquals(merged(Domain.BigInt, Domain.Double), None)
    assertEquals(merged(Domain.BigInt, Domain.Float), None)
    assertEquals(merged(Domain.Int, Domain.decimal(6, 2)), Some("DECIMAL(12,2)"))
    assertEquals(merged(Domain.decimal(5, 2), Domain.decimal(9, 4)), Some("DECIMAL(9,4)"))
    assertEquals(merged(Domain.decimal(18, 1), Domain.decimal(18, 0)), None)
    assertEquals(merged(Domain.BigInt, Domain.decimal(18, 0)), None)
    assertEquals(merged(Domain.decimal(5, 2), Domain.Double), None)
    assertEquals(merged(Domain.Date, Domain.TimestampNtz), None)
  }

  test("fractions are dropped from whole numbers, and rounded in decimals, a half away from zero") {
    val values = Seq(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 9.99)
    assertEquals(
      values.map(v => cast(Domain.Double, Domain.Int)(double(v))),
      Seq(-2L, -1L, 0L, 0L, 1L, 2L, 9L)
    )
    assertEquals(
      values.map(v => cast(Domain.Double, Domain.decimal(3, 0))(double(v))),
      Seq(-3L, -2L, -1L, 1L, 2L, 3L, 10L)
    )
    val (cents, tenths) = (Domain.decimal(9, 2), Domain.decimal(9, 1))
    assertEquals(Seq(-155L, -154L, 145L, 144L).map(cast(cents, tenths)(_)), Seq(-16L, -15L, 15L, 14L))
    assertEquals(Seq(-199L, 199L).map(cast(cents, Domain.BigInt)(_)), Seq(-1L, 1L))
  }

  test("a double becomes the decimal that it is written as, not the number that it is") {
    val to = Domain.decimal(10, 2)
    assertEquals(cast(Domain.Double, to)(double(1.005)), 101L)
    assertEquals(cast(Domain.Double, to)(double(-1.005)), -101L)
    assertEquals(cast(Domain.Double, Domain.decimal(18, 17))(double(0.1)), 10000000000000000L)
    // a FLOAT is written as the double that it is
    assertEquals(cast(Domain.Float, Domain.decimal(18, 17))(double(0.1f.toDouble)), 10000000149011612L)
  }

  property("the text of a double is the shortest one that is read as it") {
    forAll(DomainGen.value(Domain.Double)) { key =>
      val value = DoubleKeys.value(key)
      if (!value.isNaN && !value.isInfinite && math.abs(value) > 1e-300) {
        val text = Cast.shortest(value)
        assertEquals(text.doubleValue, value)
        assert(text.stripTrailingZeros.precision <= new java.math.BigDecimal(value.toString).precision)
      }
    }
  }

  test("whole numbers become the nearest floating-point numbers, of two the even one") {
    val most = (1L << 53) + 1
    assertEquals(cast(Domain.BigInt, Domain.Double)(most), double(9007199254740992.0))
    assertEquals(cast(Domain.Int, Domain.Float)(16777217L), double(16777216.0))
    assertEquals(cast(Domain.decimal(3, 1), Domain.Double)(1L), double(0.1))
    assertEquals(cast(Domain.decimal(3, 1), Domain.Float)(1L), double(0.1f.toDouble))
    assertEquals(cast(Domain.Double, Domain.Float)(double(1e300)), DoubleKeys.PositiveInfinity)
  }

  test("a refusal names the value as it is written, and the type") {
    def refused(from: Domain, to: Domain, key: Long): Map[String, String] =
      intercept[Refusal](cast(from, to)(key)).parameters
    val wide = "Cast to a wider type: sketch_cast(sketch, 'DOUBLE')."
    assertEquals(
      refused(Domain.Double, Domain.BigInt, double(1e300)),
      Map("value" -> "1.0E300", "type" -> "BIGINT", "fix" -> "Keep the type of the sketch.")
    )
    assertEquals(
      refused(Domain.decimal(5, 2), Domain.TinyInt, 12850L),
      Map("value" -> "128.50", "type" -> "TINYINT", "fix" -> wide)
    )
    assertEquals(refused(Domain.Double, Domain.decimal(3, 2), double(9.995))("value"), "9.995")
    assertEquals(refused(Domain.BigInt, Domain.decimal(18, 1), Long.MaxValue)("value"), s"${Long.MaxValue}")
    assertEquals(
      refused(Domain.Double, Domain.BigInt, double(math.pow(2, 63)))("value"),
      "9.223372036854776E18"
    )
    assert(refused(Domain.Double, Domain.BigInt, DoubleKeys.NaN)("fix").startsWith("Leave NaN out"))
    assertEquals(cast(Domain.Double, Domain.BigInt)(double(-math.pow(2, 63))), Long.MinValue)
    assertEquals(
      refused(Domain.Date, Domain.TimestampNtz, Int.MaxValue.toLong)("value"),
      s"DATE ${Int.MaxValue}"
    )
  }

  test("dates become midnights and times of day lose the digits that they get no room for") {
    val day = 86400000000L
    assertEquals(cast(Domain.Date, Domain.TimestampNtz)(-1L), -day)
    assertEquals(
      Seq(-1L, 0L, day - 1, day).map(cast(Domain.TimestampNtz, Domain.Date)(_)),
      Seq(-1L, 0L, 0L, 1L)
    )
    assertEquals(cast(Domain.time(6), Domain.time(0))(1999999000L), 1000000000L)
    assertEquals(cast(Domain.yearMonthInterval(0, 1), Domain.yearMonthInterval(0, 0))(-23L), -12L)
    assertEquals(cast(Domain.dayTimeInterval(0, 3), Domain.dayTimeInterval(0, 1))(-7200000001L), -7200000000L)
  }

  test("types that no cast joins, whatever the session's time zone") {
    Seq(
      Domain.Date -> Domain.Timestamp,
      Domain.Timestamp -> Domain.TimestampNtz,
      Domain.Date -> Domain.Int,
      Domain.Double -> Domain.Timestamp,
      Domain.yearMonthInterval(0, 1) -> Domain.dayTimeInterval(0, 3),
      Domain.time(6) -> Domain.BigInt
    ).foreach { case (a, b) => assert(Cast.of(a, b).isEmpty && Cast.of(b, a).isEmpty, s"${a.sql}, ${b.sql}") }
  }
}
