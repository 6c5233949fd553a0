package chronosketch.qlove

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.counted.FrequencyTable
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.Estimate

class FrequencyTableSuite extends munit.ScalaCheckSuite {
  private def counted(table: FrequencyTable): Seq[(Long, Long)] = {
    val sorted = table.sorted
    sorted.keys.toSeq.zip(sorted.counts)
  }

  private val near = Gen.oneOf(
    Gen.choose(-40L, 40L),
    Gen.choose(0L, 40L).map(_ << 58),
    Gen.choose(-40L, 40L).map(i => DoubleKeys.key(i / 8.0)),
    Gen.oneOf(Long.MinValue, Long.MaxValue, 0L),
    Gen.long
  )
  private val rows =
    Gen.listOf(Gen.zip(near, Gen.frequency(5 -> Gen.const(1L), 1 -> Gen.choose(1L, 1L << 40))))

  private def table(rows: Seq[(Long, Long)]): FrequencyTable = {
    val t = new FrequencyTable
    rows.foreach { case (key, copies) => t.add(key, copies) }
    t
  }

  private def expected(rows: Seq[(Long, Long)]): Seq[(Long, Long)] =
    rows.groupMapReduce(_._1)(_._2)(_ + _).toSeq.sorted

  property("counts each key, and returns the keys in order") {
    forAll(rows) { rows =>
      val t = table(rows)
      assertEquals(counted(t), expected(rows))
      assertEquals(t.distinct, expected(rows).size)
    }
  }

  property("adding another table does not change it; clear removes all counts") {
    forAll(rows, rows) { (a, b) =>
      val (left, right) = (table(a), table(b))
      left.addAll(right)
      assertEquals(counted(left), expected(a ++ b))
      assertEquals(counted(right), expected(b))
      left.clear()
      assertEquals(counted(left), Nil)
      left.addAll(right)
      assertEquals(counted(left), expected(b))
    }
  }

  property("finds keys at ranks from either end") {
    forAll(Gen.listOf(Gen.zip(near, Gen.choose(1L, 9L))).suchThat(_.nonEmpty), Gen.choose(1L, 7L)) {
      (rows, step) =>
        val all = rows.flatMap { case (key, copies) => Seq.fill(copies.toInt)(key) }.sorted
        val sorted = table(rows).sorted
        assertEquals(all.indices.map(i => sorted.at(i + 1L)).toList, all)
        val ranks = 1L to all.size.toLong by step
        assertEquals(
          sorted.fromTop(1L, step, ranks.size).toSeq,
          ranks.map(r => all(all.size - r.toInt))
        )
    }
  }

  test("a million multiples of a power of two, and the union of many large tables") {
    val wide = new FrequencyTable
    (1L to 1000000L).foreach(i => wide.add(i << 20, 1L))
    assertEquals(wide.distinct, 1000000)
    val all = new FrequencyTable
    (0L until 16L).foreach { part =>
      val t = new FrequencyTable
      (0L until 60000L).foreach(i => t.add(part * 50000 + i, 1L))
      all.addAll(t)
    }
    val sorted = all.sorted
    assertEquals(sorted.keys.toSeq, 0L until 810000L)
    assertEquals(sorted.counts.sum, 16L * 60000)
  }

  test("digits: rounds to the nearest number with that many digits; towards zero if the type lacks it") {
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

  property("digits: the error is at most half a unit of the last digit, for every type") {
    val cases = for {
      domain <- Gen.oneOf(chronosketch.domain.DomainGen.numeric)
      key <- chronosketch.domain.DomainGen.value(domain)
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
