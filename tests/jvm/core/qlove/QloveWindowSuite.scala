package chronosketch.qlove

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.domain.{Domain, DomainGen}
import chronosketch.qlove.PaneRows._

/** Compares windows that slide from pane to pane with a merge of their panes. */
class QloveWindowSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(40))

  private def merged(sketches: Seq[QloveSketch], query: Query, domain: Domain): QloveSketch =
    union(pane(query, Nil, 0L, domain).finish() +: sketches)

  private def check(window: QloveWindow, sketches: Seq[QloveSketch], domain: Domain): Unit = {
    val slow = merged(sketches, window.query, domain)
    // compare as text, because NaN does not equal itself
    assertEquals(window.answers.toString, slow.answers.toString)
    assertEquals((window.count, window.size), (slow.count, slow.size))
    assertEquals(hex(window.sketch), hex(slow))
  }

  private val streams: Gen[(Query, Domain, Vector[(TailRule, Vector[Long])])] = for {
    query <- queries
    domain <- DomainGen.domain
    maxKeys <- Gen.frequency(4 -> 60, 1 -> 1200)
    n <- Gen.choose(1, if (maxKeys > 60) 8 else 30)
    panes <- Gen.listOfN(n, Gen.zip(rules, keys(domain, maxKeys)))
  } yield (query, domain, panes.toVector)

  property("after each added and each dropped pane, the answers equal those of the merged panes") {
    forAll(streams, Gen.long) { case ((query, domain, panes), seed) =>
      val random = new SplittableRandom(seed)
      val window = new QloveWindow(domain, Domain.BigInt, query)
      var present = Vector.empty[QloveSketch]
      panes.zipWithIndex.foreach { case ((rule, keys), i) =>
        val next = pane(query, keys, i.toLong, domain, rule = rule).finish()
        window.push(next)
        if (next.size > 0) present = (present :+ next).takeRight(query.panes)
        check(window, present, domain)
        if (present.nonEmpty && random.nextInt(4) == 0) {
          window.dropOldest()
          present = present.tail
          check(window, present, domain)
        }
      }
    }
  }

  test("values that rise, fall, jump, repeat or are all equal, so that the floor changes often") {
    val random = new SplittableRandom(29)
    val trends = Seq[Int => Long](
      i => 1000L * i + random.nextInt(3000),
      i => -1000L * i + random.nextInt(3000),
      i => random.nextInt(1000) * (if (i % 40 < 20) 100000L else 1L),
      _ => random.nextInt(5).toLong,
      _ => 7L
    )
    for (trend <- trends; budget <- Seq(None, Some(3), Some(100))) {
      val query = Query(Seq("0.9", "0.99").map(phi), 50, budget)
      val window = new QloveWindow(Domain.BigInt, Domain.BigInt, query)
      var present = Vector.empty[QloveSketch]
      (0 until 160).foreach { i =>
        val next = pane(query, Seq.fill(150 + i % 3)(trend(i)), i.toLong).finish()
        window.push(next)
        present = (present :+ next).takeRight(query.panes)
        check(window, present, Domain.BigInt)
      }
    }
  }

  test("pushing several panes at once, and empty panes") {
    val query = Query(paper, 3, None)
    val panes = (1 to 5).map(i => pane(query, (1L to 40L).map(_ * i), i.toLong).finish())
    val window = new QloveWindow(Domain.BigInt, Domain.BigInt, query)
    assertEquals(window.answers, Vector.empty[QloveAnswer])
    window.push(union(Seq(panes(0), panes(1)).map(s => union(Seq(s.newEmpty, s)))))
    window.push(pane(query, Nil, 0L).finish())
    window.push(union(Seq(panes(2), panes(3)).map(s => union(Seq(s.newEmpty, s)))))
    check(window, panes.slice(1, 4), Domain.BigInt)
    (1 to 3).foreach(_ => window.dropOldest())
    check(window, Nil, Domain.BigInt)
    window.push(panes(4))
    check(window, Seq(panes(4)), Domain.BigInt)
  }

  test("panes that do not fit are refused, and answers have the wider type") {
    val query = Query(paper, 3, None)
    val window = new QloveWindow(Domain.Int, Domain.BigInt, query)
    window.push(pane(query, Seq(1L), 5L, Domain.Int).finish())
    def refused(sketch: QloveSketch): String = intercept[Refusal](window.push(sketch)).condition
    assertEquals(refused(pane(query, Seq(1L), 6L, Domain.Date).finish()), "CHRONOSKETCH_VALUE_TYPES_DIFFER")
    assertEquals(
      refused(pane(query, Seq(1L), 6L, timeDomain = Domain.Date).finish()),
      "CHRONOSKETCH_TIME_TYPES_DIFFER"
    )
    assertEquals(refused(pane(Query(paper, 4, None), Seq(1L), 6L).finish()), "CHRONOSKETCH_QUERIES_DIFFER")
    intercept[IllegalArgumentException](window.push(pane(query, Seq(1L), 5L).finish()))
    val many = new Pane(Domain.BigInt, Domain.BigInt, query)
    many.insert(1L, 6L, 0, 1L << 60)
    assertEquals(refused(many.finish()), "CHRONOSKETCH_COUNT_OVERFLOW")
    assertEquals((window.size, window.count), (1, 1L))
    window.push(pane(query, Seq(Long.MaxValue), 7L).finish())
    assertEquals(window.domain, Domain.BigInt)
    assertEquals(window.answer(phi("0.5")).get.estimate.key, (1L << 62))
  }
}
