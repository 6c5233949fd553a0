package chronosketch.bucketing

import java.util.SplittableRandom

import chronosketch.families.Families
import chronosketch.summary.{Distributions, Envelope, MergeShape}
import chronosketch.window.Constraint.{AmongLast, WithinLast}
import chronosketch.window.{RestrictedWindow, WindowSketch, WindowSketches}

/** A random window sketch and its rows, from a seed: built in one part or merged from several, and perhaps decoded. */
final class RandomWindow(seed: Long) {
  private val random = new SplittableRandom(seed)
  private def one[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))

  private val distribution = one(Distributions.all)
  private val (times, time) = one(Rows.times)
  private val epsilon = one(Seq(0.0, 0.01, 0.05, 0.2, 0.5))
  private val n = 1 + random.nextInt(one(Seq(30, 300, 2000)))
  private val rows = distribution.sample(n, seed).toIndexedSeq.zipWithIndex.map { case (key, i) =>
    Row(key, time(i, n, random), 0)
  }
  private val sketch = {
    val ends = MergeShape.Balanced.ends(one(Seq(1, 1, 2, 20)), n)
    val parts = ends.zip(0 +: ends).map { case (end, start) => Rows.sketch(rows.slice(start, end), epsilon) }
    val whole = one(MergeShape.all).unite(parts)
    if (random.nextBoolean()) whole else stored(whole)
  }

  /** Describes every false claim about some windows. */
  def violations: Seq[String] = {
    val sorted = Rows.sorted(rows)
    val windows = Seq.fill(2)(AmongLast(1L + random.nextInt(n))) ++
      Seq(1 + random.nextLong(n * 10L), random.nextLong(Long.MaxValue), Long.MaxValue).map(WithinLast(_))
    windows.flatMap { w =>
      val window = RestrictedWindow.of(sketch, w, None)
      val wide = Option.when(!window.profile.isEmpty && window.profile.rankError > epsilon)(
        s"rank error ${window.profile.rankError}"
      )
      (WindowCertificate.violations(window.profile, Rows.bag(Rows.selected(sorted, w, None))) ++ wide).map {
        v =>
          s"seed $seed, ${distribution.name}, times $times, n $n, ε $epsilon, $w: $v"
      }
    }
  }

  private def stored(s: WindowSketch): WindowSketch = WindowSketches.own(Families.open(Envelope.seal(s)))
}
