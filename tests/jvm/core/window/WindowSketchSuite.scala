package chronosketch.window

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.bucketing.Tie
import chronosketch.window.Constraint._

/** Tests windows of streams: the guarantee of the buckets, the certificate, and ε. */
class WindowSketchSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(25))

  private def rows(n: Int, seed: Long, time: (Int, Int, SplittableRandom) => Long): IndexedSeq[Row] = {
    val random = new SplittableRandom(seed)
    IndexedSeq.tabulate(n)(i => Row(random.nextInt(5000).toLong * 7, time(i, n, random), 0))
  }

  Rows.times.foreach { case (name, time) =>
    test(s"times $name: windows by time and by count") {
      for (n <- Seq(1, 10, 3000, 30000); epsilon <- Seq(0.0, 0.01, 0.05, 0.5)) {
        val all = rows(n, n.toLong, time)
        val sketch = Rows.sketch(all, epsilon)
        val sorted = Rows.sorted(all)
        val what = s"n $n, ε $epsilon"
        assertEquals(sketch.violations, Nil, what)
        assertEquals(sketch.count, n.toLong)
        val spans = Seq(1L, 10L, 100L, 50000L, 1000000007L, Long.MaxValue / 3, Long.MaxValue)
        val windows =
          spans.map(WithinLast(_)) ++ Seq(1L, 7L, 500L, 2900L, 29000L, Long.MaxValue).map(AmongLast(_))
        windows.foreach { w =>
          val window = RestrictedWindow.of(sketch, w, None)
          val seen = Rows.bag(Rows.selected(sorted, w, None))
          assertEquals(WindowCertificate.violations(window.profile, seen), Nil, s"$what, $w")
          if (!window.profile.isEmpty)
            assert(window.profile.rankError <= epsilon, s"$what, $w: ${window.profile.rankError}")
          w match {
            case AmongLast(_) => assertEquals(window.count, seen.count, s"$what, $w")
            case _ =>
          }
        }
      }
    }
  }

  private val cases = for {
    n <- Gen.oneOf(1, 30, 1000, 8000)
    parts <- Gen.oneOf(1, 2, 64, 1000)
    how <- Gen.choose(0, 3)
    time <- Gen.choose(0, Rows.times.size - 1)
    epsilon <- Gen.oneOf(0.0, 0.01, 0.05, 0.2, 0.5)
    seed <- Gen.long
  } yield (n, parts, how, time, epsilon, seed)

  property("parts by time, by hash, at random and reversed, merged in a chain or a tree") {
    forAll(cases) { case (n, parts, how, time, epsilon, seed) =>
      val all = rows(n, seed, Rows.times(time)._2)
      val random = new SplittableRandom(seed)
      val sorted = Rows.sorted(all)
      val cut = all.zipWithIndex.groupBy { case (row, i) =>
        how match {
          case 0 | 3 => (i.toLong * parts / n).toInt
          case 1 => Math.floorMod(row.key.hashCode, parts)
          case _ => random.nextInt(parts)
        }
      }.toIndexedSeq.sortBy(_._1).map(_._2.map(_._1))
      val order = if (how == 3) cut.reverse else cut
      val sketches = order.map(part => Rows.sketch(part, epsilon))
      val merged =
        if (seed % 2 == 0) chronosketch.summary.MergeShape.Chain.unite(sketches)
        else chronosketch.summary.MergeShape.Balanced.unite(sketches)
      assertEquals(merged.violations, Nil)
      assertEquals(merged.count, n.toLong)
      val windows = Seq(1 + random.nextLong(n * 10L), random.nextLong(Long.MaxValue)).map(WithinLast(_)) ++
        Seq(1L + random.nextInt(n), 1L + random.nextInt(n)).map(AmongLast(_))
      windows.foreach { w =>
        val window = RestrictedWindow.of(merged, w, None)
        val seen = Rows.bag(Rows.selected(sorted, w, None))
        assertEquals(WindowCertificate.violations(window.profile, seen), Nil, s"$w")
        if (!window.profile.isEmpty)
          assert(window.profile.rankError <= epsilon, s"$w: ${window.profile.rankError}")
        if (window.profile.isEmpty) assert(seen.isEmpty)
      }
    }
  }

  test("an edge among rows of equal time divides them independently of their values") {
    val random = new SplittableRandom(5)
    val all = IndexedSeq.tabulate(100000)(i => Row(i.toLong, 0L, 0)).sortBy(_ => random.nextLong())
    val sketch = Rows.sketch(all, 0.01)
    val window = RestrictedWindow.of(sketch, AmongLast(1000), None)
    val median = window.profile.quantile(chronosketch.rank.Phi(0.5))
    assert(math.abs(median - 50000) < 5000, s"$median")
  }

  test("a tie is a bijection whose order is unrelated to that of the keys") {
    val random = new SplittableRandom(6)
    (Seq(0L, 1L, -1L, Long.MinValue, Long.MaxValue) ++ Seq.fill(100000)(random.nextLong())).foreach { key =>
      assertEquals(Tie.key(Tie.of(key)), key)
    }
    val rises = (1L to 10000L).count(i => Tie.of(i) > Tie.of(i - 1))
    assert(rises > 4000 && rises < 6000, s"$rises")
  }
}
