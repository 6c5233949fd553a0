package chronosketch.summary

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.Refusal
import chronosketch.ddsketch.{DDSketch, RelativeError}
import chronosketch.domain.{Domain, DomainGen}
import chronosketch.qlove.Pane
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.window.WindowSketch

/** What holds of every family, whatever it summarises: of all states that operations can make. */
abstract class SummaryLaws(families: Seq[Family]) extends munit.ScalaCheckSuite {
  import SummaryLaws._

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(150)

  private val domains: Gen[Domain] =
    Gen.frequency(3 -> Gen.const(Domain.BigInt), 2 -> Gen.const(Domain.Double), 2 -> DomainGen.domain)

  /** The ends of a parameter's range, its default, and what lies between, in orders of magnitude. */
  private def tuning(family: Family): Gen[Array[Double]] =
    Gen
      .sequence[Seq[Double], Double](family.parameters.map { p =>
        val between =
          Gen.choose(0.0, 1.0).map(u => p.greatest * math.pow(math.max(p.least / p.greatest, 1e-4), u))
        Gen.frequency(1 -> Gen.oneOf(p.least, p.default, p.greatest), 2 -> between)
      })
      .map(_.toArray)

  private def states(family: Family, n: Int): Gen[States] = for {
    domain <- domains.retryUntil(family.takes)
    parameters <- tuning(family)
    operations <- Gen.listOfN(n, Operation.gen(domain))
  } yield States(family, domain, parameters.toVector, operations)

  families.foreach { family =>
    property(s"$family: what it claims is true") {
      forAll(states(family, 1)) { s =>
        val (summary, seen) = s.run(0)
        assertEquals(summary.count, seen.values.sum)
        assertEquals(claims(summary, seen), Nil)
        assertEquals(summary.parameters.toVector, s.parameters)
      }
    }

    property(s"$family: bytes there and back are the same summary") {
      forAll(states(family, 1)) { s =>
        val (summary, seen) = s.run(0)
        val bytes = Envelope.seal(summary)
        val back = Envelope.open(bytes)
        assert(Envelope.isSketch(bytes))
        assertEquals(hex(back), hex(bytes))
        assertEquals((back.family, back.domain, back.count), (summary.family, summary.domain, summary.count))
        assertEquals(claims(back, seen), Nil)
      }
    }

    property(s"$family: nothing is neutral") {
      forAll(states(family, 1)) { s =>
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

    property(s"$family: merging is associative: the state where it is exact, its claims otherwise") {
      forAll(states(family, 3)) { s =>
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

    property(s"$family: merging is commutative: the state where it is exact, its claims otherwise") {
      forAll(states(family, 2)) { s =>
        val (a, b) = (s.run(0), s.run(1))
        a._1.merge(b._1)
        val other = s.run(1)._1
        other.merge(s.run(0)._1)
        assertEquals(claims(other, union(a._2, b._2)), Nil)
        if (exact(a._1) && exact(other)) assertEquals(hex(a._1), hex(other))
      }
    }

    property(s"$family: while exact it does not see the order, nor whether copies come one by one") {
      val bags = Gen.listOf(Gen.zip(Gen.choose(-9L, 9L), Gen.choose(0L, 20L)))
      forAll(tuning(family), bags, Gen.long) { (parameters, bag, seed) =>
        val (inTurn, shuffled) = (family.empty(Domain.Int, parameters), family.empty(Domain.Int, parameters))
        bag.foreach { case (key, copies) => inTurn.insert(key, copies) }
        val single = bag.flatMap { case (key, copies) => List.fill(copies.toInt)(key) }
        new scala.util.Random(seed).shuffle(single).foreach(shuffled.insert(_))
        if (exact(inTurn) && exact(shuffled)) assertEquals(hex(inTurn), hex(shuffled))
      }
    }

    property(s"$family: a merge leaves its argument as it was") {
      forAll(states(family, 2), Gen.oneOf(true, false)) { (s, sealedBefore) =>
        val (argument, seen) = s.run(1)
        // bytes make it summarise what it has buffered: once with, once without that
        val before = hex(if (sealedBefore) argument else s.run(1)._1)
        s.run(0)._1.merge(argument)
        assertEquals(argument.count, seen.values.sum)
        assertEquals(hex(argument), before)
        // nor do they share anything: what goes into the one is not seen by the other
        val into = s.empty()
        into.merge(argument)
        into.insert(s.domain.least)
        into.insert(s.domain.greatest, 1000)
        assertEquals(hex(argument), before)
        val after = hex(into)
        argument.insert(s.domain.least, 1000)
        argument.count
        Envelope.seal(argument)
        assertEquals(hex(into), after)
      }
    }

    property(s"$family: value types widen in a merge, whichever comes first") {
      val pairs = for {
        a <- DomainGen.domain.retryUntil(family.takes)
        b <- DomainGen.domain.retryUntil(family.takes)
        parameters <- tuning(family)
        x <- Operation.gen(a)
        y <- Operation.gen(b)
      } yield (
        States(family, a, parameters.toVector, List(x)),
        States(family, b, parameters.toVector, List(y))
      )
      forAll(pairs) { case (x, y) =>
        val ((a, seenA), (b, seenB)) = (x.run(0), y.run(0))
        val before = (hex(a), hex(b))
        x.domain.widen(y.domain) match {
          case Some(wider) =>
            a.merge(b)
            assertEquals(a.domain, wider)
            assertEquals(b.domain, y.domain)
            assertEquals(claims(a, union(seenA, seenB)), Nil)
          case None =>
            assertEquals(intercept[Refusal](a.merge(b)).condition, "CHRONOSKETCH_VALUE_TYPES_DIFFER")
            assertEquals((hex(a), hex(b)), before)
        }
      }
    }

    test(s"$family: a merge with itself is the caller's mistake") {
      val s = family.empty(Domain.Int, family.parameters.map(_.default).toArray)
      intercept[IllegalArgumentException](s.merge(s))
    }

    test(s"$family: more than 2⁶³ − 1 elements are refused, and nothing has changed") {
      val parameters = family.parameters.map(_.default).toArray
      def full: Summary = {
        val s = family.empty(Domain.Int, parameters)
        s.insert(1, Long.MaxValue - 5)
        s
      }
      val one = full
      val before = hex(one)
      assertEquals(intercept[Refusal](one.insert(1, 6)).condition, "CHRONOSKETCH_COUNT_OVERFLOW")
      assertEquals(intercept[Refusal](one.merge(full)).condition, "CHRONOSKETCH_COUNT_OVERFLOW")
      assertEquals(hex(one), before)
      one.insert(1, 5)
      assertEquals(one.count, Long.MaxValue)
      assertEquals(claims(one, Map(1L -> Long.MaxValue)), Nil)
      one.insert(2)
      assertEquals(intercept[Refusal](one.count).condition, "CHRONOSKETCH_COUNT_OVERFLOW")
      assertEquals(intercept[Refusal](Envelope.seal(one)).condition, "CHRONOSKETCH_COUNT_OVERFLOW")
    }
  }
}

object SummaryLaws {
  import Operation.Seen

  /** What a failing case prints: all that it takes to make its states again. */
  final case class States(
      family: Family,
      domain: Domain,
      parameters: Vector[Double],
      operations: List[List[Operation]]
  ) {
    def empty(): Summary = family.empty(domain, parameters.toArray)
    def run(i: Int): (Summary, Seen) = Operation.run(() => empty(), operations(i))
  }

  def hex(bytes: Array[Byte]): String = java.util.HexFormat.of.formatHex(bytes)
  def hex(summary: Summary): String = hex(Envelope.seal(summary))

  def union(a: Seen, b: Seen): Seen = b.foldLeft(a) { case (all, (key, copies)) =>
    all.updated(key, all.getOrElse(key, 0L) + copies)
  }

  /** What a summary claims that is not so. */
  def claims(summary: Summary, seen: Seen): Seq[String] = summary match {
    case s: GreenwaldKhanna => Certificate.violations(s, ExactBag.of(seen), merged = true)
    case s: WindowSketch => s.violations ++ Certificate.violations(s.profile, ExactBag.of(seen))
    case s: DDSketch =>
      val bag = ExactBag.of(seen)
      Certificate.unbounded(s.profile, bag) ++ RelativeError.violations(s, bag)
    case s: Ranked => Certificate.violations(s.profile, ExactBag.of(seen))
    case p: Pane if seen.values.sum > 0 =>
      val bag = ExactBag.of(seen)
      p.finish().answers.collect {
        case a if a.estimate.key != bag.at(a.phi.rank(bag.count)) => s"${a.estimate.key} as ${a.phi}-quantile"
      }
    case _ => Nil
  }

  def exact(summary: Summary): Boolean = summary match {
    case s: WindowSketch => s.isExact
    case s: Ranked => s.profile.isExact
    case _: DDSketch => true // of the order nothing is left
    case _: Pane => true
    case _ => false
  }
}

class EverySummaryLaws extends SummaryLaws(Family.all.filter(_.takesValues))
