package chronosketch.ddsketch

import java.util.SplittableRandom

import chronosketch.families.Families
import chronosketch.summary.{Certificate, Distributions, Envelope, ExactBag, MergeShape}

/** A random DDSketch and its keys, from a seed: built in one part or merged from several, some of them decoded. */
final class RandomDDSketch(seed: Long) {
  private val random = new SplittableRandom(seed)
  private def one[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))

  private val distribution = one(Distributions.all)
  private val alpha = one(Seq(1e-4, 1e-3, 0.01, 0.02, 0.05, 0.3, 0.5))
  private val keys = distribution.sample(random.nextInt(one(Seq(30, 300, 3000))), seed)
  private val sketch = {
    val ends = MergeShape.Balanced.ends(one(Seq(1, 1, 2, 20)), keys.length)
    val parts = ends.zip(0 +: ends).map { case (end, start) =>
      val s = DDSketchRecipe(distribution.domain, alpha).empty
      if (random.nextBoolean()) s.insertAll(keys, start, end)
      else (start until end).foreach(i => s.insert(keys(i)))
      if (random.nextBoolean()) s else DDSketches.own(Families.open(Envelope.seal(s)))
    }
    one(MergeShape.all).unite(parts)
  }

  /** Describes every false claim. */
  def violations: Seq[String] = {
    val seen = ExactBag.of(keys)
    (Certificate.unbounded(sketch.profile, seen) ++ RelativeError.violations(sketch, seen)).map { v =>
      s"seed $seed, ${distribution.name}, n ${keys.length}, α $alpha: $v"
    }
  }
}
