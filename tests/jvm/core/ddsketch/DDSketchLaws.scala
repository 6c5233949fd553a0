package chronosketch.ddsketch

import java.math.BigDecimal
import java.util.SplittableRandom

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.summary.{
  Certificate,
  Distribution,
  Distributions,
  Envelope,
  ExactBag,
  InsertingLaws,
  MergeShape,
  Operation,
  ShareClaims
}

object DDSketchLaws extends InsertingLaws(DDSketches) {
  protected def violations(summary: DDSketch, seen: Operation.Seen): Seq[String] = {
    val bag = ExactBag.of(seen)
    Certificate.unbounded(summary.profile, bag) ++ RelativeError.violations(summary, bag)
  }

  /** Always: counts are added, so the result never depends on the order. */
  protected def knowsAll(summary: DDSketch): Boolean = true
}

/** A random DDSketch and its keys, from a seed: built in one part or merged from several, some of them decoded. */
final class RandomDDSketch(seed: Long, among: Seq[Distribution] = Distributions.all) {
  private val random = new SplittableRandom(seed)
  private def one[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))

  val distribution: Distribution = one(among)
  private val alpha = one(Seq(1e-4, 1e-3, 0.01, 0.02, 0.05, 0.3, 0.5))
  private val keys = distribution.sample(random.nextInt(one(Seq(30, 300, 3000))), seed)
  val sketch: DDSketch = {
    val ends = MergeShape.Balanced.ends(one(Seq(1, 1, 2, 20)), keys.length)
    val parts = ends.zip(0 +: ends).map { case (end, start) =>
      val s = DDSketchRecipe(distribution.domain, alpha).empty
      if (random.nextBoolean()) s.insertAll(keys, start, end)
      else (start until end).foreach(i => s.insert(keys(i)))
      if (random.nextBoolean()) s else DDSketches.own(Families.open(Envelope.seal(s)))
    }
    one(MergeShape.all).unite(parts)
  }

  /** The keys. */
  def seen: ExactBag = ExactBag.of(keys)

  /** Describes every false claim. */
  def violations: Seq[String] = {
    val seen = this.seen
    val found = Certificate.unbounded(sketch.profile, seen) ++ RelativeError.violations(sketch, seen) ++
      ShareClaims.violations(sketch, seen)
    found.map { v =>
      s"seed $seed, ${distribution.name}, n ${keys.length}, α $alpha: $v"
    }
  }
}

/** Compares answers with the exact ones, and describes each whose relative error exceeds alpha. */
object RelativeError {
  def violations(sketch: DDSketch, seen: ExactBag): Seq[String] =
    if (seen.isEmpty) Nil
    else
      Certificate.phis.flatMap { phi =>
        val answer = sketch.quantile(phi)
        val key = seen.at(phi.rank(seen.count))
        val (low, high) = sketch.profile.quantileBounds(phi)
        val inside = if (low <= answer.key && answer.key <= high) Nil else Seq(s"$phi: not in its bounds")
        val rounded =
          if (sketch.domain.isFloating) Nil
          else wrong(exact(answer.key, sketch.domain), key, sketch, gap = 0.5)
        val value = answer.value
        val off =
          if (!value.isNaN && !value.isInfinite) wrong(new BigDecimal(value), key, sketch, gap = 0.0)
          else Option.when(!sketch.domain.isFloating || DoubleKeys.key(value) != key)(s"$value for $key")
        inside ++ Seq(rounded, off).flatten.map(what => s"$phi: $what")
      }

  private def exact(key: Long, domain: Domain): BigDecimal =
    if (domain.isFloating) new BigDecimal(DoubleKeys.value(key)) else BigDecimal.valueOf(key, domain.second)

  /** Describes an answer whose error exceeds alpha, and in addition `gap` units of whole keys. */
  private def wrong(answer: BigDecimal, key: Long, sketch: DDSketch, gap: Double): Option[String] =
    if (sketch.domain.isFloating && !(math.abs(DoubleKeys.value(key)) <= Double.MaxValue))
      Some(s"$answer for $key")
    else {
      val target = exact(key, sketch.domain)
      // alpha as a double or as its decimal text, whichever is smaller
      val alpha = new BigDecimal(sketch.alpha).min(new BigDecimal(sketch.alpha.toString))
      val unit =
        if (sketch.domain.isFloating) BigDecimal.ONE else BigDecimal.valueOf(1L, sketch.domain.second)
      val allowed = target.abs.multiply(alpha).add(unit.multiply(new BigDecimal(gap)))
      Option.when(answer.subtract(target).abs.compareTo(allowed) > 0)(s"$answer for $target")
    }
}
