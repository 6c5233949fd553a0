package chronosketch.window

import java.util.SplittableRandom

import chronosketch.{Cases, Suite}
import chronosketch.families.Families
import chronosketch.summary.{Envelope, MergeShape}
import chronosketch.window.Constraint._

/** Tests up to how many rows every window is exact: the numbers in docs/windows.md. */
class ExactWindowsSuite extends Suite {
  private val epsilons = Seq(0.3, 0.1, 0.05, 0.02, 0.01)

  /** The documented number of rows: 8/ε. */
  private def exactRows(epsilon: Double): Int = (8 / epsilon).round.toInt

  /** Up to 2/ε² rows every value is kept, though not every row's position. */
  private def rowsWithAllValues(epsilon: Double): Int = (2 / (epsilon * epsilon)).round.toInt

  private def rows(n: Int, filters: Int, time: (Int, Int, SplittableRandom) => Long): IndexedSeq[Row] = {
    val random = new SplittableRandom(n.toLong + filters)
    IndexedSeq.tabulate(n)(i =>
      Row(random.nextInt(100000).toLong, time(i, n, random), random.nextInt(1 << filters))
    )
  }

  /** The rows as one stream, and as consecutive or random parts merged in a chain, in a tree and after decoding. */
  private def sketches(all: IndexedSeq[Row], epsilon: Double, filters: Int): Seq[(String, WindowSketch)] = {
    val random = new SplittableRandom(1)
    val byOrder = all.grouped(math.max(1, all.size / 7)).toIndexedSeq
    val byChance = all.groupBy(_ => random.nextInt(16)).toIndexedSeq.sortBy(_._1).map(_._2)
    def sketchAll(parts: IndexedSeq[IndexedSeq[Row]]) = parts.map(Rows.sketch(_, epsilon, filters))
    def stored(s: WindowSketch) = WindowSketches.own(Families.open(Envelope.seal(s)))
    Seq(
      "one stream" -> Rows.sketch(all, epsilon, filters),
      "parts by order, in a chain" -> MergeShape.Chain.unite(sketchAll(byOrder)),
      "parts by order, last first" -> MergeShape.Chain.unite(sketchAll(byOrder.reverse)),
      "parts by chance, in a chain" -> MergeShape.Chain.unite(sketchAll(byChance)),
      "parts by chance, in a tree" -> MergeShape.Balanced.unite(sketchAll(byChance)),
      "stored parts, in a tree" -> MergeShape.Balanced.unite(sketchAll(byChance).map(stored))
    )
  }

  private def windows(n: Int, filters: Int, span: Long): Seq[Constraint] = {
    val plain = Seq(1, n / 5, n / 2, n - 1, n).filter(_ > 0).map(k => AmongLast(k.toLong)) ++
      Seq(1L, span / 3, span).filter(_ > 0).map(WithinLast(_))
    plain ++ (0 until filters).flatMap(f => plain.map(And(_, Passes(f)))) ++
      (1 until filters).map(f => And(AmongLast(n / 2L), Or(Passes(0), Not(Passes(f)))))
  }

  // every ε with every order of times, and the numbers of filters in turn
  for ((filters, k) <- Seq(0, 1, 3).zipWithIndex) {
    test(s"every window of 8/ε rows is exact, in whatever order parts are merged: $filters filters") {
      for {
        (epsilon, i) <- epsilons.zipWithIndex
        ((way, time), j) <- Rows.times.zipWithIndex
        if Cases.isTurn(i + j + k, 3)
      } {
        val n = exactRows(epsilon)
        val all = rows(n, filters, time)
        val sorted = Rows.sorted(all)
        val span = (BigInt(sorted.last.time) - sorted.head.time + 1).min(Long.MaxValue).toLong
        for ((how, sketch) <- sketches(all, epsilon, filters)) {
          assert(sketch.isExact, s"ε $epsilon, times $way, $how")
          windows(n, filters, span).foreach { w =>
            val what = s"ε $epsilon, times $way, $how, $w"
            val profile = RestrictedWindow.of(sketch, w, None).profile
            val seen = Rows.bag(Rows.selected(sorted, w, None))
            assert(profile.isExact, what)
            assertEquals(WindowCertificate.violations(profile, seen), Nil, what)
          }
        }
      }
    }
  }

  test("8/ε + 2 rows are not exact") {
    for (epsilon <- epsilons.filter(_ < 0.3)) {
      val all = rows(exactRows(epsilon) + 2, 0, Rows.times.head._2)
      sketches(all, epsilon, 0).foreach { case (how, sketch) =>
        assert(!sketch.isExact, s"ε $epsilon, $how")
      }
    }
  }

  test(
    "every value of 2/ε² rows is kept, in whatever order parts are merged; not of eight times as many rows"
  ) {
    for (epsilon <- Seq(0.1, 0.05, 0.02); filters <- Seq(0, 1); (way, time) <- Rows.times.take(3)) {
      val n = rowsWithAllValues(epsilon)
      sketches(rows(n, filters, time), epsilon, filters).foreach { case (how, sketch) =>
        val least = rows(n, filters, time).distinct.size
        assert(sketch.tuples >= least, s"ε $epsilon, times $way, $how: ${sketch.tuples} of $least")
      }
      if (filters == 0) assert(Rows.sketch(rows(8 * n, 0, time), epsilon).tuples < 6 * n, s"ε $epsilon, $way")
    }
  }

  test(
    "beyond 8/ε rows: if an edge divides rows of equal time, answers differ between merge orders, within their bounds"
  ) {
    val n = 20000
    val epsilon = 0.05
    val all = IndexedSeq.tabulate(n)(i => Row(i.toLong, i % 4L, 0))
    val sorted = Rows.sorted(all)
    val answers = sketches(all, epsilon, 0).map { case (how, sketch) =>
      // three whole times: the edge divides none of them
      val whole = RestrictedWindow.of(sketch, WithinLast(3), None)
      assertEquals(
        WindowCertificate.violations(whole.profile, Rows.bag(Rows.selected(sorted, WithinLast(3), None))),
        Nil,
        how
      )
      for (newest <- Seq(2500L, 4999L, 9000L)) yield {
        val what = s"$how, $newest"
        val cut = RestrictedWindow.of(sketch, AmongLast(newest), None)
        val seen = Rows.bag(Rows.selected(sorted, AmongLast(newest), None))
        assertEquals(cut.count, newest, what)
        assert(cut.profile.rankError <= epsilon, s"$what: ${cut.profile.rankError}")
        assertEquals(WindowCertificate.violations(cut.profile, seen), Nil, what)
        Seq(0.1, 0.5, 0.9).map(phi => cut.profile.quantile(chronosketch.rank.Phi(phi)))
      }
    }
    assert(answers.distinct.size > 1, s"$answers: the docs may promise more")
  }
}
