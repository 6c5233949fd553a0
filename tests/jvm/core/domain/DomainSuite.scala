package chronosketch.domain

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{CheckSuite, Refusal}

class DomainSuite extends CheckSuite {
  private val pairs: Seq[(Domain, Domain)] = for (a <- DomainGen.all; b <- DomainGen.all) yield (a, b)

  test("DomainGen covers every kind") {
    assertEquals(DomainGen.all.map(_.kind).toSet, Kind.all.toSet)
  }

  test("the ids of kinds never change") {
    assertEquals(Kind.all.map(_.id).toList, (1 to 13).toList)
    Kind.all.foreach(k => assertEquals(Kind.byId(k.id), Some(k)))
    assertEquals(Kind.byId(0), None)
    assertEquals(Kind.byId(14), None)
  }

  property("a domain holds the key of each of its values") {
    forAll(DomainGen.domain.flatMap(d => DomainGen.value(d).map(d -> _))) { case (d, key) =>
      assert(d.holds(key))
    }
  }

  test("a domain holds no keys outside of its range, and none that belong to no value") {
    DomainGen.all.foreach { d =>
      assert(d.holds(d.least) && d.holds(d.greatest), d.sql)
      if (d.least > Long.MinValue) assert(!d.holds(d.least - 1), d.sql)
      if (d.greatest < Long.MaxValue) assert(!d.holds(d.greatest + 1), d.sql)
    }
    assert(!Domain.Double.holds(DoubleKeys.NegativeZero))
    assert(!Domain.Double.holds(DoubleKeys.PositiveInfinity + 1), "a second NaN")
    assert(!Domain.Float.holds(DoubleKeys.PositiveInfinity + 1), "a second NaN")
    assert(!Domain.Float.holds(DoubleKeys.key(0.1)), "a double that no float is")
    assert(Domain.Float.holds(DoubleKeys.key(0.1f.toDouble)))
  }

  test("least and greatest keys of types with fewer values than a Long") {
    assertEquals((Domain.TinyInt.least, Domain.TinyInt.greatest), (-128L, 127L))
    assertEquals((Domain.SmallInt.least, Domain.SmallInt.greatest), (-32768L, 32767L))
    assertEquals((Domain.Int.least, Domain.Int.greatest), (Int.MinValue.toLong, Int.MaxValue.toLong))
    assertEquals((Domain.decimal(5, 2).least, Domain.decimal(5, 2).greatest), (-99999L, 99999L))
    assertEquals(Domain.decimal(18, 18).greatest, 999999999999999999L)
    assertEquals((Domain.time(6).least, Domain.time(6).greatest), (0L, 86399999999999L))
  }

  test("widen commutes") {
    pairs.foreach { case (a, b) => assertEquals(a.widen(b), b.widen(a), s"$a $b") }
  }

  test("widen is associative") {
    for (a <- DomainGen.all; b <- DomainGen.all; c <- DomainGen.all)
      assertEquals(a.widen(b).flatMap(_.widen(c)), b.widen(c).flatMap(a.widen), s"$a $b $c")
  }

  property("the wider type holds the same keys") {
    val gen = Gen.oneOf(pairs).flatMap { case (a, b) => DomainGen.value(a).map((a, b, _)) }
    forAll(gen) { case (a, b, key) => assert(a.widen(b).forall(_.holds(key))) }
  }

  test("types that have a common wider type, and types that have none") {
    assertEquals(Domain.Int.widen(Domain.BigInt), Some(Domain.BigInt))
    assertEquals(Domain.TinyInt.widen(Domain.SmallInt), Some(Domain.SmallInt))
    assertEquals(Domain.Float.widen(Domain.Double), Some(Domain.Double))
    assertEquals(Domain.decimal(5, 2).widen(Domain.decimal(9, 2)), Some(Domain.decimal(9, 2)))
    assertEquals(Domain.decimal(5, 2).widen(Domain.decimal(9, 3)), None)
    val (days, seconds) = (Domain.dayTimeInterval(0, 1), Domain.dayTimeInterval(2, 3))
    assertEquals(days.widen(seconds), Some(Domain.dayTimeInterval(0, 3)))
    assertEquals(Domain.Int.widen(Domain.Double), None)
    assertEquals(Domain.Timestamp.widen(Domain.TimestampNtz), None)
    assertEquals(Domain.Date.widen(Domain.Int), None)
  }

  test("types that do not widen are refused, with a type that holds the values of both if there is one") {
    def fix(a: Domain, b: Domain): String = {
      val refusal = intercept[Refusal](a.widenOrRefuse(b, t => Some(s"ddsketch_agg(CAST(value AS $t))")))
      assertEquals(refusal.condition, "CHRONOSKETCH_VALUE_TYPES_DIFFER")
      assertEquals(refusal.parameters - "fix", Map("left" -> a.sql, "right" -> b.sql))
      refusal.parameters("fix")
    }
    assertEquals(
      fix(Domain.Int, Domain.decimal(9, 2)),
      "Build both with the type DECIMAL(12,2), which holds all of them: ddsketch_agg(CAST(value AS DECIMAL(12,2)))."
    )
    assertEquals(
      fix(Domain.BigInt, Domain.Double),
      "No type of a sketch holds all of them as they are. Build both from values of one type, BIGINT or DOUBLE."
    )
  }

  test("the common type holds the least, the greatest and the finest values of both; none is missed") {
    def exact(d: Domain, key: Long): java.math.BigDecimal =
      if (d.isFloating) new java.math.BigDecimal(DoubleKeys.value(key))
      else java.math.BigDecimal.valueOf(key, d.second)
    // infinities of floating types are left out, because every common type of them has infinities
    def samples(d: Domain): Seq[Long] =
      if (d == Domain.Float) Seq(0.1f, Float.MaxValue, 16777215f).map(v => DoubleKeys.key(v.toDouble))
      else if (d == Domain.Double) Seq(0.1, Double.MaxValue, 9007199254740991.0).map(DoubleKeys.key)
      else Seq(d.least, d.greatest, d.greatest - 1)
    val numbers = DomainGen.all.filter(_.isNumeric)
    for (a <- numbers; b <- numbers) {
      def holds(wide: Domain): Boolean = Seq(a, b).forall { d =>
        samples(d).forall { key =>
          Conversion.round(exact(d, key), wide, Conversion.Nearest).exists(k =>
            exact(wide, k).compareTo(exact(d, key)) == 0
          )
        }
      }
      assertEquals(a.common(b), b.common(a), s"$a $b")
      a.common(b) match {
        case Some(wide) => assert(holds(wide), s"${a.sql} ${b.sql}: ${wide.sql}")
        case None => assert(!numbers.exists(holds), s"${a.sql} ${b.sql}: ${numbers.find(holds)}")
      }
    }
    val others = DomainGen.all.filterNot(_.isNumeric)
    for (a <- others; b <- DomainGen.all) {
      val expected = a.widen(b).orElse((a, b) match {
        case (Domain.Date, Domain.Timestamp | Domain.TimestampNtz) => Some(b)
        case (Domain.Timestamp | Domain.TimestampNtz, Domain.Date) => Some(a)
        case _ => None
      })
      assertEquals(a.common(b), expected, s"${a.sql} ${b.sql}")
    }
  }

  test("read returns every domain, and None for types that SQL does not have") {
    DomainGen.all.foreach(d => assertEquals(Domain.read(d.kind.id, d.first, d.second), Some(d)))
    val impossible = Seq((0, 0, 0), (14, 0, 0), (3, 1, 0), (6, 0, 1), (7, 0, 0), (7, 19, 0), (7, 5, 6)) ++
      Seq((11, 1, 0), (11, 0, 2), (12, 3, 2), (12, 0, 4), (13, 10, 0), (13, 6, 1))
    impossible.foreach { case (id, first, second) =>
      assertEquals(Domain.read(id, first, second), None, s"$id $first $second")
    }
  }

  test("types have their SQL names") {
    assertEquals(Domain.decimal(5, 2).sql, "DECIMAL(5,2)")
    assertEquals(Domain.yearMonthInterval(0, 1).sql, "INTERVAL YEAR TO MONTH")
    assertEquals(Domain.yearMonthInterval(1, 1).sql, "INTERVAL MONTH")
    assertEquals(Domain.dayTimeInterval(0, 3).sql, "INTERVAL DAY TO SECOND")
    assertEquals(Domain.time(6).sql, "TIME(6)")
    assertEquals(Domain.BigInt.sql, "BIGINT")
  }
}
