package chronosketch.qlove

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.domain.{Domain, DomainGen, DoubleKeys}
import chronosketch.families.Families
import chronosketch.grouped.GroupedRows
import chronosketch.memory.Meter
import chronosketch.qlove.PaneRows._
import chronosketch.rank.Phi
import chronosketch.summary.Envelope

/** Tests panes that take rows, and finished panes. */
class PaneSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(100))

  private val rows: Gen[(Query, Domain, Vector[Long])] = for {
    query <- queries
    domain <- DomainGen.domain
    keys <- keys(domain, 200)
  } yield (query, domain, keys)

  property("the quantiles of a window of one pane are exact") {
    forAll(rows) { case (query, domain, keys) =>
      val finished = pane(query, keys, 5L, domain).finish()
      assertEquals(finished.count, keys.size.toLong)
      if (keys.isEmpty) assertEquals(finished.answers, Vector.empty[QloveAnswer])
      else {
        assertEquals(finished.answers.map(_.estimate.key), query.phis.map(exact(keys, _)))
        assertEquals(finished.answers.map(_.reason).toSet, Set[Reason](Reason.OnePane))
        assertEquals((finished.first, finished.last), (5L, 5L))
      }
    }
  }

  property(
    "parts of a pane merged in any order and number give the same bytes, before and after finishing"
  ) {
    forAll(rows, Gen.long, Gen.listOf(Gen.choose(-9L, 9L))) { case ((query, domain, keys), seed, times) =>
      val timed = keys.zipWithIndex.map { case (k, i) =>
        (k, if (times.isEmpty) 0L else times(i % times.size))
      }
      def part(rows: Seq[(Long, Long)]): Pane = {
        val p = new Pane(domain, Domain.Timestamp, query)
        rows.foreach { case (key, time) => p.insert(key, time, 0) }
        p
      }
      val whole = part(timed)
      val united = parts(timed, seed)
        .map(part)
        .map(p => if (seed % 2 == 0) p else UnfinishedPanes.own(Families.open(Envelope.seal(p))))
        .reduceLeft { (all, next) => all.merge(next); all }
      assertEquals(hex(united), hex(whole))
      assertEquals(hex(united.finish()), hex(whole.finish()))
    }
  }

  property("inserting copies equals inserting as many rows") {
    forAll(Gen.listOf(Gen.zip(Gen.choose(-5L, 5L), Gen.choose(0L, 6L))), queries) { (bag, query) =>
      val (a, b) = (new Pane(Domain.Int, Domain.Date, query), new Pane(Domain.Int, Domain.Date, query))
      bag.foreach { case (key, copies) =>
        a.insert(key, key, 0, copies)
        (1L to copies).foreach(_ => b.insert(key, key, 0))
      }
      assertEquals(hex(a), hex(b))
    }
  }

  test("finishing does not change a pane, which can take more rows") {
    val query = Query(paper, 8, None)
    val p = pane(query, 1L to 5000L, 1L)
    val before = hex(p)
    val finished = hex(p.finish())
    assertEquals(hex(p), before)
    assertEquals(hex(p.finish()), finished)
    p.insert(7L, 2L, 0)
    assertEquals(p.finish().count, 5001L)
    p.clear()
    assertEquals(hex(p), hex(new Pane(Domain.BigInt, Domain.BigInt, query)))
    (1L to 5000L).foreach(p.insert(_, 1L, 0))
    assertEquals(hex(p), before)
  }

  test("−0.0, NaN, infinities and the extremes of Long") {
    val query = Query(Seq("0", "0.25", "0.5", "0.75", "1").map(phi), 1, None)
    val doubles = Seq(Double.NaN, Double.PositiveInfinity, -0.0, Double.NegativeInfinity, 0.0)
    val finished = pane(query, doubles.map(DoubleKeys.key), 0L, Domain.Double).finish()
    val values = finished.answers.map(_.estimate.value)
    assertEquals(values.take(4), Vector(Double.NegativeInfinity, 0.0, 0.0, Double.PositiveInfinity))
    assert(values(4).isNaN)
    val longs = pane(query, Seq(Long.MaxValue, Long.MinValue, (1L << 53) + 1), Long.MaxValue).finish()
    assertEquals(
      longs.answers.map(_.estimate.key),
      Vector(Long.MinValue, Long.MinValue, (1L << 53) + 1, Long.MaxValue, Long.MaxValue)
    )
    assertEquals(hex(Families.open(Envelope.seal(longs))), hex(longs))
  }

  test("digits: values are rounded before they are counted") {
    val query = Query(Seq(phi("0.5")), 1, None, digits = 2)
    val p = pane(query, (10000L to 19999L), 0L)
    assertEquals(p.distinct, 11)
    assertEquals(p.finish().answers.head.estimate.key, 15000L)
    assertEquals(
      intercept[Refusal](new Pane(Domain.Date, Domain.Date, query)).condition,
      "CHRONOSKETCH_NO_DIGITS"
    )
  }

  test("merging panes of different queries, types or families is refused and changes nothing") {
    val query = Query(paper, 8, None)
    val left = pane(query, Seq(1L), 0L)
    val before = hex(left)
    def refused(right: chronosketch.summary.Summary): String =
      intercept[Refusal](left.merge(right)).condition
    Seq(Query(paper, 7, None), Query(paper, 8, Some(1)), Query(paper.tail, 8, None), Query(paper, 8, None, 3))
      .foreach(q => assertEquals(refused(pane(q, Seq(1L), 0L)), "CHRONOSKETCH_QUERIES_DIFFER"))
    assertEquals(refused(pane(query, Seq(1L), 0L, Domain.Date)), "CHRONOSKETCH_VALUE_TYPES_DIFFER")
    assertEquals(
      refused(pane(query, Seq(1L), 0L, timeDomain = Domain.Date)),
      "CHRONOSKETCH_TIME_TYPES_DIFFER"
    )
    assertEquals(refused(pane(query, Seq(1L), 0L).finish()), "CHRONOSKETCH_FAMILIES_DIFFER")
    assertEquals(hex(left), before)
  }

  test("queries: φs are sorted without duplicates; parameters out of range are refused") {
    val query = Query(paper.reverse ++ paper, 3, None)
    assertEquals(query, Query(paper, 3, None))
    assertEquals(query.phis.map(_.toString), Vector("0.5", "0.9", "0.99", "0.999"))
    assertEquals(intercept[Refusal](Query(Nil, 1, None)).condition, "CHRONOSKETCH_NO_PHIS")
    Seq[() => Query](
      () => Query(paper, 0, None),
      () => Query(paper, Query.MostPanes + 1, None),
      () => Query(paper, 1, Some(-1)),
      () => Query(paper, 1, None, -1),
      () => Query(paper, 1, None, Query.MostDigits + 1)
    ).foreach(q => assertEquals(intercept[Refusal](q()).condition, "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE"))
    val strange = Query(Seq(Phi(Double.MinPositiveValue), phi("0." + "9" * 38)), 1, None)
    val p = pane(strange, Seq(1L, 2L), 0L)
    assertEquals(hex(Families.open(Envelope.seal(p))), hex(p))
  }

  test(
    "groups of rows with times: tasks exchange unfinished panes, which give the same finished pane"
  ) {
    val query = Query(paper, 2, None)
    val recipe = PaneRecipe(Domain.Int, Domain.Timestamp, query)
    def part(from: Long): GroupedRows[Pane] = {
      val groups = new GroupedRows(recipe, new Meter)
      (from until from + 1000).foreach { i =>
        groups.summary((i % 3).toInt).insert(i * 7 % 501, i, 0)
      }
      groups
    }
    val (left, right) = (part(0), part(1000))
    (0 to 2).foreach { g =>
      left.merge(g, right.seal(g))
      val keys = (0L until 2000L).filter(_ % 3 == g)
      val whole = new Pane(Domain.Int, Domain.Timestamp, query)
      keys.foreach(i => whole.insert(i * 7 % 501, i, 0))
      assertEquals(hex(left.ask(g)), hex(whole))
      assertEquals(hex(UnfinishedPanes.own(left.ask(g)).finish()), hex(whole.finish()))
    }
  }

  test("memory is reported, and returned") {
    val meter = new Meter
    val p = new Pane(Domain.BigInt, Domain.BigInt, Query(paper, 8, None))
    p.meteredBy(meter)
    val empty = meter.bytes
    (0L until 100000L).foreach(p.insert(_, 0L, 0))
    assert(meter.bytes - empty >= 100000L * 16 && meter.bytes < 100000L * 80, s"${meter.bytes}")
    p.meteredBy(null)
    assertEquals(meter.bytes, 0L)
  }
}
