package chronosketch.window

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.summary.Envelope
import chronosketch.window.Constraint._

/** Tests windows with any constraint over rows that pass filters: each row is counted once, whatever the expression. */
class ConstraintSuite extends CheckSuite {
  import ConstraintSuite.Case

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(100))

  private def filterOnly(filters: Int, depth: Int): Gen[Constraint] = {
    val leaf = Gen.choose(0, filters - 1).map(Passes(_))
    if (depth == 0) leaf
    else {
      val inner = Gen.lzy(filterOnly(filters, depth - 1))
      Gen.frequency(
        2 -> leaf,
        1 -> inner.map(Not(_)),
        1 -> Gen.zip(inner, inner).map { case (a, b) => And(a, b) },
        1 -> Gen.zip(inner, inner).map { case (a, b) => Or(a, b) }
      )
    }
  }

  private def tree(filters: Int, n: Int, span: Long, depth: Int): Gen[Constraint] = {
    val windows: Gen[Constraint] = Gen.oneOf(
      Gen.oneOf(Gen.choose(0L, span), Gen.oneOf(1L, Long.MaxValue)).map(WithinLast(_)),
      Gen.oneOf(Gen.choose(0L, n + 5L), Gen.oneOf(1L, Long.MaxValue)).map(AmongLast(_))
    )
    val leaf = if (filters == 0) windows else Gen.oneOf(windows, filterOnly(filters, 1))
    if (depth == 0) leaf
    else {
      val inner = Gen.lzy(tree(filters, n, span, depth - 1))
      Gen.frequency(
        1 -> leaf,
        2 -> Gen.zip(inner, inner).map { case (a, b) => And(a, b) },
        2 -> Gen.zip(inner, inner).map { case (a, b) => Or(a, b) }
      )
    }
  }

  private val cases = for {
    n <- Gen.oneOf(1, 40, 900, 4000)
    parts <- Gen.oneOf(1, 1, 2, 30)
    epsilon <- Gen.oneOf(0.0, 0.02, 0.1, 0.5)
    filters <- Gen.choose(0, 3)
    way <- Gen.oneOf(Rows.times.map(_._2))
    seed <- Gen.long
    random = new SplittableRandom(seed)
    rows = Vector.tabulate(n) { i =>
      // the first third of every 300 rows passes at random, the rest in bursts
      val passed = if (filters == 0) 0 else if (i % 300 < 100) random.nextInt(1 << filters) else i / 500 % 2
      Row(random.nextInt(300).toLong, way(i, n, random), passed)
    }
    times = rows.map(r => BigInt(r.time))
    span = (times.max - times.min + 2).min(Long.MaxValue).toLong
    constraint <- tree(filters, n, span, 4)
    asOf <- Gen.frequency(
      3 -> Gen.const(None),
      1 -> Gen.oneOf(rows).map(r => Some(r.time)),
      1 -> Gen.long.map(Some(_))
    )
  } yield Case(rows, parts, epsilon, filters, constraint, asOf)

  private def built(c: Case): WindowSketch = {
    val parts = c.rows.zipWithIndex.groupBy(_._2 % c.parts).toIndexedSeq.sortBy(_._1).map { case (_, some) =>
      Rows.sketch(some.map(_._1), c.epsilon, c.filters)
    }
    chronosketch.summary.MergeShape.Balanced.unite(parts)
  }

  private def countsRows(constraint: Constraint): Boolean = constraint match {
    case AmongLast(_) => true
    case And(a, b) => countsRows(a) || countsRows(b)
    case Or(a, b) => countsRows(a) || countsRows(b)
    case _ => false
  }

  property("any constraint on merged parts: the certificate holds, and ε where it is guaranteed") {
    forAll(cases) { c =>
      val sketch = built(c)
      assertEquals(sketch.violations, Nil)
      val window = RestrictedWindow.of(sketch, c.constraint, c.asOf)
      val seen = Rows.bag(Rows.selected(Rows.sorted(c.rows), c.constraint, c.asOf))
      assertEquals(WindowCertificate.violations(window.profile, seen), Nil, s"$c")
      if (window.profile.isEmpty) assert(seen.isEmpty, s"$c")
      else if (c.asOf.isEmpty && (c.filters == 0 || !countsRows(c.constraint)))
        assert(window.profile.rankError <= c.epsilon, s"$c: ${window.profile.rankError}")
      if (c.epsilon == 0.0) assert(window.profile.isExact, s"$c")
    }
  }

  property("a decoded window, merged with another, certifies the union of both") {
    forAll(cases, cases) { (c, d) =>
      val one = RestrictedWindow.of(built(c), c.constraint, c.asOf)
      val other = RestrictedWindow.of(built(d), d.constraint, d.asOf)
      val back = RestrictedWindows.own(Families.open(Envelope.seal(one)))
      assertEquals(back.countBounds, one.countBounds)
      back.merge(other)
      val seen = Rows.selected(Rows.sorted(c.rows), c.constraint, c.asOf) ++
        Rows.selected(Rows.sorted(d.rows), d.constraint, d.asOf)
      assertEquals(WindowCertificate.violations(back.profile, Rows.bag(seen)), Nil, s"$c $d")
    }
  }

  property("the normal form selects the same rows and is its own normal form") {
    forAll(cases) { c =>
      val form = NormalForm.of(c.constraint)
      val rows = Rows.sorted(c.rows)
      val again = form.constraint.fold(Vector.empty[Row])(Rows.selected(rows, _, c.asOf).toVector)
      assertEquals(again, Rows.selected(rows, c.constraint, c.asOf).toVector, s"$c")
      form.constraint.foreach(r => assertEquals(NormalForm.of(r), form, s"$c"))
    }
  }

  test("the normal form is written as a condition: windows, then filters, then both") {
    val c = Or(
      And(WithinLast(3600), Not(Or(Passes(0), Passes(1)))),
      Or(And(Passes(1), Passes(0)), Or(AmongLast(100), And(AmongLast(200), WithinLast(60))))
    )
    def text(c: Constraint) = NormalForm.of(c).text(f => s"passing('f$f')", s => s"$s")
    assertEquals(
      text(c),
      "within_last(60) AND among_last(200) OR among_last(100) OR passing('f0') AND passing('f1') OR " +
        "within_last(3600) AND NOT passing('f0') AND NOT passing('f1')"
    )
    assertEquals(text(Or(WithinLast(5), And(WithinLast(4), AmongLast(3)))), "within_last(5)")
    assertEquals(text(And(Passes(0), Not(Passes(0)))), "FALSE")
  }

  private def refused(body: => Any): Refusal = intercept[Refusal] { body; () }

  test("rejected: a window under NOT, too many filters, a duplicate filter name, merging different filters") {
    val sketch = Rows.sketch(Seq(Row(1, 1, 0)), 0.1, filters = 1)
    val notWindow = Not(Or(Passes(0), WithinLast(5)))
    assertEquals(
      refused(RestrictedWindow.of(sketch, notWindow, None)).condition,
      "CHRONOSKETCH_WINDOW_UNDER_NOT"
    )
    assertEquals(refused(NormalForm.of(notWindow)).condition, "CHRONOSKETCH_WINDOW_UNDER_NOT")
    val many = refused(NormalForm.of((0 to 6).map(Passes(_): Constraint).reduce(Or(_, _))))
    assertEquals((many.condition, many.parameters("limit")), ("CHRONOSKETCH_TOO_MANY_FILTERS", "6"))
    def named(names: String*) =
      new WindowSketch(Domain.Int, Domain.BigInt, 0.1, Windowed.KeepAll, names.toVector)
    assertEquals(refused(named("a", "a")).condition, "CHRONOSKETCH_FILTER_NAMED_TWICE")
    assertEquals(refused(named("1", "2", "3", "4", "5", "6", "7")).condition, "CHRONOSKETCH_TOO_MANY_FILTERS")
    val differ = refused(named("a").merge(named("b")))
    assertEquals((differ.condition, differ.parameters("right")), ("CHRONOSKETCH_FILTERS_DIFFER", "b"))
    val days = new WindowSketch(Domain.Int, Domain.Date, 0.1, Windowed.KeepAll, Vector.empty)
    assertEquals(refused(named().merge(days)).condition, "CHRONOSKETCH_TIME_TYPES_DIFFER")
  }

  private val kept = for {
    c <- cases
    reach <- Gen.choose(0.01, 1.2)
  } yield {
    val times = c.rows.map(r => BigInt(r.time))
    val span = (times.max - times.min).min(Long.MaxValue - 2).toDouble
    (c, math.max(1L, (span * reach).toLong))
  }

  property("retention: windows within it are answered, longer ones are refused") {
    forAll(kept) { case (c, retention) =>
      val parts = c.rows.zipWithIndex.groupBy(_._2 % c.parts).toIndexedSeq.sortBy(_._1).map {
        case (i, some) =>
          // the merged sketch has the shortest retention of its parts
          val longer = if (i > 0 && retention < Long.MaxValue / 4) 3 * retention else retention
          Rows.sketch(some.map(_._1), c.epsilon, c.filters, longer)
      }
      val merged = chronosketch.summary.MergeShape.Balanced.unite(parts)
      val sketch = WindowSketches.own(Families.open(Envelope.seal(merged)))
      assertEquals(sketch.retention, retention)
      assertEquals(sketch.violations, Nil)
      val sorted = Rows.sorted(c.rows)
      val windows = Seq(WithinLast(retention), WithinLast(math.max(1L, retention / 3)), c.constraint)
      windows.foreach { w =>
        try {
          val window = RestrictedWindow.of(sketch, w, c.asOf)
          val seen = Rows.bag(Rows.selected(sorted, w, c.asOf))
          assertEquals(WindowCertificate.violations(window.profile, seen), Nil, s"$c $retention $w")
        } catch {
          case r: Refusal =>
            assertEquals(r.condition, "CHRONOSKETCH_BEYOND_RETENTION")
            assertEquals(r.parameters("retention"), retention.toString)
            assert(c.asOf.nonEmpty || w == c.constraint, s"$c: $w refused")
        }
      }
      if (retention < Long.MaxValue - 1 && c.asOf.isEmpty)
        assertEquals(
          refused(RestrictedWindow.of(sketch, WithinLast(retention + 1), None)).condition,
          "CHRONOSKETCH_BEYOND_RETENTION"
        )
    }
  }
}

object ConstraintSuite {
  final case class Case(
      rows: Vector[Row],
      parts: Int,
      epsilon: Double,
      filters: Int,
      constraint: Constraint,
      asOf: Option[Long]
  ) {
    override def toString: String =
      s"${rows.size} rows, ${rows.take(20)}, $parts parts, ε $epsilon, $filters filters, $constraint, as of $asOf"
  }
}
