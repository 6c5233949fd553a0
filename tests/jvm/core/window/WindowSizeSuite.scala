package chronosketch.window

import java.util.SplittableRandom

import scala.collection.Searching._

import chronosketch.Suite
import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.summary.MergeShape
import chronosketch.window.Constraint._

/** Tests the size of window sketches, and that windows of the paper's streams are within ε (Xu, Lin, Zhou 2004, §5). */
class WindowSizeSuite extends Suite {
  private def sketch(epsilon: Double, filters: String*): WindowSketch =
    new WindowSketch(Domain.BigInt, Domain.Timestamp, epsilon, Windowed.KeepAll, filters.toVector)

  private val Rows = 360000
  private val random = new SplittableRandom(20260101L)
  private val keys = Array.fill(Rows)(random.nextLong())
  private def time(i: Int): Long = i * 2500L

  private def whole(epsilon: Double): WindowSketch = {
    val s = sketch(epsilon)
    keys.indices.foreach(i => s.insert(keys(i), time(i), 0))
    s
  }

  test("parts by hash, merged: at most 30 % more buckets and tuples than one stream") {
    for (epsilon <- Seq(0.05, 0.02, 0.01)) {
      val stream = whole(epsilon)
      for (parts <- Seq(64, 1000)) {
        val some = Array.fill(parts)(sketch(epsilon))
        keys.indices.foreach(i => some(Math.floorMod(keys(i), parts)).insert(keys(i), time(i), 0))
        val merged = MergeShape.Chain.unite(some.toIndexedSeq)
        val what = s"ε $epsilon, $parts parts"
        assertEquals(merged.violations, Nil, what)
        assertEquals(merged.count, Rows.toLong, what)
        assert(
          merged.buckets <= 1.3 * stream.buckets,
          s"$what: ${merged.buckets} and ${stream.buckets} buckets"
        )
        assert(merged.tuples <= 1.3 * stream.tuples, s"$what: ${merged.tuples} and ${stream.tuples} tuples")
        Seq(WithinLast(300000000L), AmongLast(10000L)).foreach { w =>
          val profile = RestrictedWindow.of(merged, w, None).profile
          assert(profile.rankError <= merged.epsilon, s"$what, $w: ${profile.rankError}")
        }
      }
    }
  }

  /** Windows that end at the newest of n rows, each a fifth shorter than the one before. */
  private def windows(n: Int): Seq[Constraint] =
    Iterator.iterate(n.toDouble)(_ * 0.8).takeWhile(_ >= 1).map(_.toLong).toSeq
      .flatMap(rows => Seq(AmongLast(rows), WithinLast(2500L * rows)))

  // the limits below are the errors of the paper's own sketches at ε = 0.05
  test("quantiles 1/64 … 63/64 of the paper's windows are as accurate as those of its nested sketches") {
    val s = whole(0.05)
    for (seconds <- Seq(100, 200, 300, 450, 600, 800)) {
      val n = seconds * 400
      val seen = keys.takeRight(n).sorted
      val profile = RestrictedWindow.of(s, WithinLast(seconds * 1000000L), None).profile
      val errors = (1 to 63).map { i =>
        val phi = Phi(i / 64.0)
        // an answer from a bucket that straddles the edge need not be a value in the window
        val rank = seen.search(profile.quantile(phi)) match {
          case Found(at) => at + 1
          case InsertionPoint(at) => at
        }
        math.abs(rank - phi.rank(n.toLong)).toDouble / n
      }
      assert(errors.max <= 0.0113, s"the last $seconds s: ${errors.max}")
      assert(
        errors.sum / errors.size <= 0.0013,
        s"the last $seconds s: ${errors.sum / errors.size} in the mean"
      )
    }
  }

  test("many rows: few tuples are kept, and every window is within ε") {
    for (epsilon <- Seq(0.02, 0.05, 0.1); (factor, part) <- Seq((100, 5.2), (400, 12.5), (1000, 24.0))) {
      val n = (factor / (epsilon * epsilon)).toInt
      val s = sketch(epsilon)
      (0 until n).foreach(i => s.insert(random.nextLong(), time(i), 0))
      assert(s.tuples < n / part, s"ε $epsilon: ${s.tuples} tuples of $n rows")
      val errors = windows(n).map(RestrictedWindow.of(s, _, None).profile.rankError)
      assert(errors.max <= epsilon, s"ε $epsilon, $n rows: ${errors.max}")
    }
  }

  test("every window of a few rows is within ε, where rounding of ranks matters most") {
    for (epsilon <- Seq(0.02, 0.1, 0.3)) {
      val s = sketch(epsilon)
      (0 until 3000).foreach(i => s.insert(random.nextLong(), time(i), 0))
      (1 to 3000).foreach { rows =>
        Seq(AmongLast(rows.toLong), WithinLast(2500L * rows)).foreach { w =>
          val error = RestrictedWindow.of(s, w, None).profile.rankError
          assert(error <= epsilon, s"ε $epsilon, $w: $error")
        }
      }
    }
  }

  test(
    "falling and rising values, where the straddling elements are above or below all later ones, are within ε"
  ) {
    for ((what, sign) <- Seq("fall" -> -1L, "rise" -> 1L)) {
      val s = sketch(0.01)
      (0 until Rows).foreach(i => s.insert(sign * i, time(i), 0))
      (1 to 100).foreach { i =>
        val error = RestrictedWindow.of(s, WithinLast(time(Rows / 100 * i)), None).profile.rankError
        assert(error <= 0.01, s"values that $what, $i hundredths of the rows: $error")
      }
    }
  }

  test("3 million rows, where summaries use their whole part of ε, are within ε, and buckets stay small") {
    val n = 3000000
    for (epsilon <- Seq(0.1, 0.3)) {
      val s = sketch(epsilon)
      val values = Array.fill(n)(random.nextLong())
      values.indices.foreach(i => s.insert(values(i), time(i), 0))
      assertEquals(s.violations, Nil)
      Seq(n / 100, n / 10, n / 3, n).foreach { rows =>
        val profile = RestrictedWindow.of(s, AmongLast(rows.toLong), None).profile
        val seen = chronosketch.summary.ExactBag.of(values.drop(n - rows))
        assertEquals(WindowCertificate.violations(profile, seen), Nil, s"ε $epsilon, $rows")
      }
      val errors = windows(n).map(RestrictedWindow.of(s, _, None).profile.rankError)
      assert(errors.max <= s.epsilon, s"ε $epsilon: ${errors.max}")
      assert(errors.max > 0.5 * s.epsilon, s"ε $epsilon: ${errors.max} proves little")
      assert(s.tuples <= 60 * s.buckets, s"ε $epsilon: ${s.tuples} tuples in ${s.buckets} buckets")
    }
  }

  test("rows among the last N of all that pass a filter of 60 % are within ε, up to N = 200 000") {
    val s = sketch(0.05, "some")
    val passed = Array.fill(Rows)(if (random.nextInt(10) < 6) 1 else 0)
    keys.indices.foreach(i => s.insert(keys(i), time(i), passed(i)))
    for (n <- Seq(100L, 1000L, 10000L, 100000L, 200000L)) {
      val window = RestrictedWindow.of(s, And(AmongLast(n), Passes(0)), None)
      val first = Rows - n.toInt
      val seen =
        chronosketch.summary.ExactBag.of(keys.indices.drop(first).filter(passed(_) == 1).map(keys).toArray)
      assertEquals(WindowCertificate.violations(window.profile, seen), Nil, s"$n")
      assert(window.profile.rankError <= s.epsilon, s"$n: ${window.profile.rankError}")
    }
  }

  test("rows older than the retention are dropped") {
    val all = whole(0.02)
    val some = new WindowSketch(Domain.BigInt, Domain.Timestamp, 0.02, time(20000), Vector.empty)
    keys.indices.foreach(i => some.insert(keys(i), time(i), 0))
    assert(some.count < 20600, s"${some.count}")
    assertEquals(some.count + some.forgotten, Rows.toLong)
    assert(some.tuples < all.tuples / 2)
  }

  test("memory is reported as it grows, and returned") {
    val meter = new Meter
    val s = sketch(0.05)
    s.meteredBy(meter)
    keys.indices.foreach(i => s.insert(keys(i), time(i), 0))
    assert(meter.bytes > 8L * s.tuples, s"${meter.bytes}")
    assert(meter.bytes < 64L * s.tuples + (1 << 21), s"${meter.bytes}")
    s.meteredBy(null)
    assertEquals(meter.bytes, 0L)
  }
}
