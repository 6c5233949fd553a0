package chronosketch.summary

import org.scalacheck.Gen
import org.scalacheck.Prop._
import org.scalacheck.rng.Seed

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.domain.{Domain, DomainGen}
import chronosketch.families.Families

/** The laws that hold for every family and all states that operations can make. */
class SummaryLaws extends CheckSuite {
  import SummaryLaws._

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(25))

  private val domains: Gen[Domain] =
    Gen.frequency(3 -> Gen.const(Domain.BigInt), 2 -> Gen.const(Domain.Double), 2 -> DomainGen.domain)

  private def states(laws: LawsOf[_ <: Summary], n: Int): Gen[States] = for {
    domain <- domains.retryUntil(laws.family.takes)
    maker <- laws.makers(domain)
    operations <- Gen.listOfN(n, Operation.gen(domain))
  } yield States(maker, operations)

  test("each family has its laws") {
    assertEquals(LawsOf.all.map(_.family), Families.all)
  }

  LawsOf.all.foreach { laws =>
    val family = laws.family
    def claims(summary: Summary, seen: Operation.Seen): Seq[String] = laws.claims(summary, seen)
    def exact(summary: Summary): Boolean = laws.isExact(summary)

    property(s"$family: all claims are true") {
      forAll(states(laws, 1)) { s =>
        val (summary, seen) = s.run(0)
        assertEquals(summary.count, seen.values.sum)
        assertEquals(claims(summary, seen), Nil)
        assertEquals(summary.header, s.empty().header)
      }
    }

    property(s"$family: the claims are false for other values") {
      forAll(states(laws, 1)) { s =>
        val (summary, seen) = s.run(0)
        val (domain, count) = (summary.domain, seen.values.sum)
        // some families compute in doubles, to which neighbouring keys may be equal
        def isSeen(key: Long) = seen.keys.exists(_.toDouble == key.toDouble)
        val other = Seq(domain.least, domain.greatest, 17L, 29L).find(k => domain.holds(k) && !isSeen(k))
        if (count > 0)
          other.foreach(key => assert(claims(summary, Map(key -> count)).nonEmpty, s"$count of $key"))
      }
    }

    property(s"$family: decoding the bytes of a summary gives an equal summary") {
      forAll(states(laws, 1)) { s =>
        val (summary, seen) = s.run(0)
        val bytes = Envelope.seal(summary)
        val back = Families.open(bytes)
        assert(Families.isSketch(bytes))
        assertEquals(hex(back), hex(bytes))
        assertEquals(
          (back.family.name, back.domain, back.count),
          (family.name, summary.domain, summary.count)
        )
        assertEquals(claims(back, seen), Nil)
      }
    }

    property(s"$family: the empty summary is neutral") {
      forAll(states(laws, 1)) { s =>
        val (summary, seen) = s.run(0)
        val before = hex(summary)
        summary.merge(s.empty())
        assertEquals(hex(summary), before)
        val other = s.empty()
        other.merge(summary)
        assertEquals(claims(other, seen), Nil)
        if (exact(summary)) assertEquals(hex(other), before)
      }
    }

    property(s"$family: merging is associative: for the state if it is exact, otherwise for the claims") {
      forAll(states(laws, 3)) { s =>
        val (a, b, c) = (s.run(0), s.run(1), s.run(2))
        val all = union(union(a._2, b._2), c._2)
        a._1.merge(b._1)
        a._1.merge(c._1)
        val (b2, a2) = (s.run(1)._1, s.run(0)._1)
        b2.merge(s.run(2)._1)
        a2.merge(b2)
        assertEquals(claims(a._1, all), Nil)
        assertEquals(claims(a2, all), Nil)
        if (exact(a._1) && exact(a2)) assertEquals(hex(a._1), hex(a2))
      }
    }

    property(s"$family: merging is commutative: for the state if it is exact, otherwise for the claims") {
      forAll(states(laws, 2)) { s =>
        val (a, b) = (s.run(0), s.run(1))
        a._1.merge(b._1)
        val other = s.run(1)._1
        other.merge(s.run(0)._1)
        assertEquals(claims(other, union(a._2, b._2)), Nil)
        if (exact(a._1) && exact(other)) assertEquals(hex(a._1), hex(other))
      }
    }

    property(s"$family: an exact state depends neither on the order nor on how copies are inserted") {
      val bags = Gen.listOf(Gen.zip(Gen.choose(-9L, 9L), Gen.choose(0L, 20L)))
      forAll(laws.makers(Domain.Int), bags, Gen.long) { (maker, bag, seed) =>
        val (inTurn, shuffled) = (maker.empty(), maker.empty())
        maker.insertCounted(inTurn, bag, new Clock(1))
        val single = bag.flatMap { case (key, copies) => List.fill(copies.toInt)(key) }
        maker.insert(shuffled, new scala.util.Random(seed).shuffle(single), new Clock(1))
        if (exact(inTurn) && exact(shuffled)) assertEquals(hex(inTurn), hex(shuffled))
        assertEquals(claims(shuffled, bag.groupMapReduce(_._1)(_._2)(_ + _).filter(_._2 > 0)), Nil)
      }
    }

    property(s"$family: a merge leaves its argument unchanged") {
      forAll(states(laws, 2), Gen.oneOf(true, false)) { (s, sealedBefore) =>
        val (argument, seen) = s.run(1)
        // sealing flushes the buffers: test with and without flushed buffers
        val before = hex(if (sealedBefore) argument else s.run(1)._1)
        s.run(0)._1.merge(argument)
        assertEquals(argument.count, seen.values.sum)
        assertEquals(hex(argument), before)
        // nor do the two share any state: inserts into one have no effect on the other
        val into = s.empty()
        into.merge(argument)
        val (least, greatest) = (argument.domain.least, argument.domain.greatest)
        s.maker.insertCounted(into, Seq(least -> 1L, greatest -> 1000L), new Clock(8))
        assertEquals(hex(argument), before)
        val after = hex(into)
        s.maker.insertCounted(argument, Seq(least -> 1000L), new Clock(9))
        argument.count
        Envelope.seal(argument)
        assertEquals(hex(into), after)
      }
    }

    property(s"$family: value types widen in a merge, in either order") {
      // equal parameters, two types
      val pairs = for {
        a <- DomainGen.domain.retryUntil(family.takes)
        b <- DomainGen.domain.retryUntil(family.takes)
        seed <- Gen.long
        x <- Operation.gen(a)
        y <- Operation.gen(b)
      } yield {
        def maker(domain: Domain): Maker =
          laws.makers(domain).pureApply(Gen.Parameters.default, Seed(seed))
        (States(maker(a), List(x)), States(maker(b), List(Nil, y)))
      }
      forAll(pairs) { case (x, y) =>
        val ((a, seenA), (b, seenB)) = (x.run(0), y.run(1))
        val before = (hex(a), hex(b))
        a.domain.widen(b.domain) match {
          case Some(wider) =>
            a.merge(b)
            assertEquals(a.domain, wider)
            assertEquals(b.domain, y.empty().domain)
            assertEquals(claims(a, union(seenA, seenB)), Nil)
          case None =>
            assertEquals(intercept[Refusal](a.merge(b)).condition, "CHRONOSKETCH_VALUE_TYPES_DIFFER")
            assertEquals((hex(a), hex(b)), before)
        }
      }
    }

    property(s"$family: merging a summary into itself throws IllegalArgumentException") {
      forAll(laws.makers(Domain.Int)) { maker =>
        val s = maker.empty()
        intercept[IllegalArgumentException](s.merge(s))
        ()
      }
    }

    property(s"$family: a summary of another family is refused and changes nothing") {
      val others = Gen.oneOf(LawsOf.all.filter(_.family ne family)).flatMap(_.makers(Domain.Int))
      forAll(laws.makers(Domain.Int), others) { (maker, other) =>
        val s = maker.empty()
        val before = hex(s)
        assertEquals(intercept[Refusal](s.merge(other.empty())).condition, "CHRONOSKETCH_FAMILIES_DIFFER")
        assertEquals(hex(s), before)
      }
    }

    property(s"$family: more than 2⁶³ − 1 elements are refused and change nothing") {
      forAll(laws.makers(Domain.Int)) { maker =>
        val clock = new Clock(1)
        def add(to: Summary, copies: Long): Unit = maker.insertCounted(to, Seq(1L -> copies), clock)
        def full: Summary = {
          val s = maker.empty()
          add(s, Long.MaxValue - 5)
          s
        }
        def refused(body: => Unit): Boolean =
          try { body; false }
          catch { case r: Refusal => r.condition == "CHRONOSKETCH_COUNT_OVERFLOW" }
        val one = full
        val before = hex(one)
        assert(refused(add(one, 6)))
        assert(refused(one.merge(full)))
        assertEquals(hex(one), before)
        add(one, 5)
        assertEquals(one.count, Long.MaxValue)
        assertEquals(claims(one, Map(1L -> Long.MaxValue)), Nil)
        // one more is refused when it is inserted, or at the next query
        val atOnce = refused(maker.insert(one, Seq(1L), clock))
        if (!atOnce) assert(refused { one.count; () })
        assertEquals(refused { Envelope.seal(one); () }, !atOnce)
      }
    }
  }
}

object SummaryLaws {
  import Operation.Seen

  /** The maker and the operations of some states. A failing test prints them, so that the states can be made again. */
  final case class States(maker: Maker, operations: List[List[Operation]]) {
    def empty(): Summary = maker.empty()

    /** The i-th state. Each has a clock of its own, so no two states have a time in common. */
    def run(i: Int): (Summary, Seen) = Operation.run(maker, operations(i), new Clock(i + 1))
  }

  def hex(bytes: Array[Byte]): String = java.util.HexFormat.of.formatHex(bytes)
  def hex(summary: Summary): String = hex(Envelope.seal(summary))

  def union(a: Seen, b: Seen): Seen = b.foldLeft(a) { case (all, (key, copies)) =>
    all.updated(key, all.getOrElse(key, 0L) + copies)
  }
}
