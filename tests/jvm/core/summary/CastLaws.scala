package chronosketch.summary

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.domain.{Cast, Domain, DomainGen, DoubleKeys}
import chronosketch.families.Families
import chronosketch.history.HistorySketches
import chronosketch.moments.ComomentsSketches
import chronosketch.qlove.QloveSketches
import chronosketch.summary.Operation.Seen
import chronosketch.summary.SummaryLaws.{hex, union, States}
import chronosketch.window.moments.{RestrictedMomentsLaws, WindowMoments}
import chronosketch.window.{Constraint, WindowCertificate, WindowSketch}

/** The laws of casts: for every family, what a cast summary claims of the cast values is true. */
class CastLaws extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(100))

  private def state(laws: LawsOf[_ <: Summary], domain: Domain): Gen[States] = for {
    maker <- laws.makers(domain)
    operations <- Operation.gen(domain)
  } yield States(maker, List(operations))

  private def typed(family: Family[Summary]): Gen[Domain] = DomainGen.domain.retryUntil(family.takes)

  /** Returns the values after the cast. None if one of them is refused. */
  private def after(seen: Seen, from: Domain, to: Domain): Option[Seen] = {
    val cast = Cast.of(from, to)
    try
      if (from == to) Some(seen)
      else cast.map(c => seen.toSeq.groupMapReduce { case (key, _) => c(key) }(_._2)(_ + _))
    catch { case _: Refusal => None }
  }

  /** The false claims of a summary whose values were cast. Times and classes of the laws' rows depend on the keys before. */
  private def claims(laws: LawsOf[_ <: Summary], summary: Summary, seen: Seen): Seq[String] = summary match {
    case window: WindowSketch =>
      Certificate.violations(window.profile, ExactBag.of(seen)) ++
        WindowCertificate.violations(
          window.restrict(Constraint.WithinLast(5L), None).profile,
          ExactBag.of(seen)
        )
    case window: WindowMoments => RestrictedMomentsLaws.violations(window, seen.toSeq, window.domain)
    case other if other.family eq ComomentsSketches =>
      if (other.count == seen.values.sum) Nil else Seq(s"count ${other.count}")
    case other => laws.claims(other, seen)
  }

  LawsOf.all.foreach { laws =>
    val family = laws.family

    property(
      s"$family: all claims are true of the cast values; a refusal has a reason, and changes nothing"
    ) {
      val states = for {
        from <- typed(family)
        to <- Gen.frequency(3 -> typed(family), 1 -> DomainGen.domain)
        s <- state(laws, from)
      } yield (s, from, to)
      forAll(states) { case (s, from, to) =>
        val (summary, seen) = s.run(0)
        val before = hex(summary)
        val wanted = after(seen, from, to)
        try {
          val cast = Summary.cast(summary, to)
          assertEquals(cast.domain, to)
          assertEquals(cast.count, summary.count)
          // a qlove sketch keeps few of the values, and can't refuse the others
          assert(wanted.nonEmpty || (family eq QloveSketches), "a value should have been refused")
          wanted.foreach(values => assertEquals(claims(laws, cast, values), Nil))
          val bytes = Envelope.seal(cast)
          assertEquals(hex(Families.open(bytes)), hex(bytes))
          wanted.foreach(values => assertEquals(claims(laws, Families.open(bytes), values), Nil))
          // casting copies: both go on by themselves
          assertEquals(hex(cast), hex(bytes))
        } catch {
          case refusal: Refusal if refusal.condition == "CHRONOSKETCH_NOT_CASTABLE" =>
            assertEquals(refusal.parameters("family"), family.name)
            assert(Seq("held", "asked", "reason", "fix").forall(refusal.parameters.contains))
          case refusal: Refusal =>
            // a sketch may know ends of its values that lie beyond all of them
            assertEquals(refusal.condition, "CHRONOSKETCH_VALUE_OUT_OF_RANGE")
        }
        assertEquals(hex(summary), before)
      }
    }

    property(s"$family: an empty summary takes any type that its own is cast to") {
      forAll(typed(family), typed(family), laws.makers(Domain.Int), Gen.long) { (from, to, _, seed) =>
        val maker = laws.makers(from).pureApply(Gen.Parameters.default, org.scalacheck.rng.Seed(seed))
        if (Cast.of(from, to).nonEmpty) {
          val cast = Summary.cast(maker.empty(), to)
          assert(cast.isEmpty)
          assertEquals(Families.open(Envelope.seal(cast)).domain, to)
        }
      }
    }

    property(
      s"$family: numbers of two types are united in the type that holds both exactly, or are refused"
    ) {
      val pairs = for {
        a <- Gen.oneOf(DomainGen.numeric)
        b <- Gen.oneOf(DomainGen.numeric)
        seed <- Gen.long
        x <- Operation.gen(a)
        y <- Operation.gen(b)
      } yield {
        def maker(domain: Domain): Maker =
          laws.makers(domain).pureApply(Gen.Parameters.default, org.scalacheck.rng.Seed(seed))
        (States(maker(a), List(x)), States(maker(b), List(Nil, y)))
      }
      forAll(pairs) { case (x, y) =>
        val ((a, seenA), (b, seenB)) = (x.run(0), y.run(1))
        val (from, other) = (a.domain, b.domain)
        val before = hex(b)
        // only an empty one is neutral: a history that was updated has versions, even without a value
        val bothAreUsed = !a.isEmpty && !b.isEmpty
        try {
          val both = Summary.union(a, b)
          if (bothAreUsed) {
            assertEquals(Some(both.domain), from.coerced(other))
            val seen = union(after(seenA, from, both.domain).get, after(seenB, other, both.domain).get)
            assertEquals(claims(laws, both, seen), Nil)
          }
        } catch {
          case refusal: Refusal =>
            assertEquals(refusal.condition, "CHRONOSKETCH_VALUE_TYPES_DIFFER")
            assert(bothAreUsed && from.widen(other).isEmpty)
            val isCastable = (family ne HistorySketches) && (family ne ComomentsSketches)
            // quantile sketches, samples and the like are cast whenever a type holds both
            if (family.takes(Domain.Date) && isCastable) assert(from.coerced(other).isEmpty)
        }
        assertEquals(hex(b), before)
      }
    }
  }

  test("whole numbers beside doubles: the moments are those of all values as doubles") {
    val maker = chronosketch.moments.MomentsSketches
    def sketch(domain: Domain, keys: Seq[Long]): Summary = {
      val s = maker.recipe(domain, Nil).empty
      keys.foreach(s.insert(_))
      s
    }
    val both = Summary.union(
      sketch(Domain.Int, Seq(1L, 2L, 4L)),
      sketch(Domain.Double, Seq(0.5, 8.0).map(DoubleKeys.key))
    )
    assertEquals(both.domain, Domain.Double)
    val all = sketch(Domain.Double, Seq(1.0, 2.0, 4.0, 0.5, 8.0).map(DoubleKeys.key))
    Moment.all.foreach { moment =>
      val (a, b) = (maker.own(both).moment(moment).get, maker.own(all).moment(moment).get)
      assert(math.abs(a - b) <= 1e-15 * math.abs(b), s"${moment.name} $a, $b")
    }
  }
}
